"""Next-hop groups: how they are made, checked, counted per switch, and what failures do to them."""
