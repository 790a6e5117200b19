"""From a layout to cables: what to order, print, pull and hand over; and back."""
