"""Claims of Namyar, Supittayapornpong, Zhang, Yu and Govindan, A throughput-centric view of the performance of datacenter
topologies, SIGCOMM 2021."""

#: The places of claims: the abstract, the limits of uni-regular topologies, and the authors' artefact, github.com/USC-NSL/TUB.
PLACES = "abstract limits artefact"
