"""Claims of Xu, Huang and Deng, Optimal routing for a family of scalable interconnection networks, arXiv:1909.06497, 2019."""
