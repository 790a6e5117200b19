# The two commands: `make demo` and `make test`. Without make: sh tools/demo.sh and sh tools/test.sh.
.PHONY: demo test test-all docs kernels picture wheel bench format clean

demo:
	@sh tools/demo.sh

test:
	@sh tools/test.sh

test-all:
	@sh tools/test.sh -m "exhaustive or not exhaustive"

docs:
	@sh tools/docs.sh

kernels:
	@sh tools/venv.sh all
	@sh tools/kernels.sh

picture:
	@sh tools/demo.sh
	@.venv/bin/python tools/readme_picture.py

wheel:
	@sh tools/wheel.sh

bench:
	@sh tools/venv.sh bench
	@.venv/bin/python benchmarks/hops.py

format:
	@sh tools/venv.sh test
	@.venv/bin/ruff check --fix . ; .venv/bin/ruff format .

clean:
	rm -rf .venv demo build dist src/topoloom/core/compiling/shipped .mypy_cache .ruff_cache .pytest_cache .hypothesis
