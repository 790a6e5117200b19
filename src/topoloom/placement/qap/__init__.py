"""The quadratic assignment problem: facilities onto places, so that what flows much does not flow far."""
