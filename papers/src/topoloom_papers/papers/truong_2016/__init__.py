"""Claims of Truong, Nguyen, Fujiwara and Koibuchi, Layout-conscious expandable topology for low-degree interconnection
networks, IEICE Transactions on Information and Systems E99-D(5), 2016."""
