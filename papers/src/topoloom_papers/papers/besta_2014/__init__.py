"""Claims of Besta and Hoefler, Slim Fly: a cost effective low-diameter network topology, SC 2014."""
