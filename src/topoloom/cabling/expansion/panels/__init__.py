"""Growing a network whose links pass through shuffle panels: trunks and cords in place of cables per link."""
