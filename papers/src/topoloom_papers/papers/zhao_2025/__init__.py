"""Claims of Zhao, Deng, Ruan, Dai, Gao, Li and others, Insights into DeepSeek-V3: scaling challenges and reflections on
hardware for AI architectures, ISCA 2025."""

#: The places of claims.
PLACES = "section-5.1 table-3"
