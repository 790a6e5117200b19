"""Cabling: from a layout to cables, with lists to order, print, install and import; and back."""
