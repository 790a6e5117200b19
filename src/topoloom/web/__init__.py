"""The explorer: topoloom in the browser. Requests are tasks, answers are records; it has no logic of its own."""
