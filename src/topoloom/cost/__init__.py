"""From a layout to a bill: parts, prices, watts."""
