// The records and files of a static site: read from scripts next to the page, because a page from a disk may fetch nothing.

window.TOPOLOOM_SITE = (() => {
  const index = window.TOPOLOOM_INDEX, waiting = new Map();
  const sorted = (value) => (value && typeof value === "object" && !Array.isArray(value) ? Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])])) : value);
  const keyOf = (operation, args) => JSON.stringify([operation, sorted(args)]);
  const missing = () => Promise.reject(new Error("This page of results has no such result; open the folder with topoloom serve."));

  /** The content of a data file: a script that calls `put`. */
  function read(number) {
    if (!waiting.has(number)) {
      const entry = {};
      entry.content = new Promise((settle, fail) => {
        entry.settle = settle;
        const element = document.createElement("script");
        element.src = `data/${number}.js`;
        element.onerror = () => fail(new Error(`The file data/${number}.js is missing; copy the whole folder.`));
        document.head.append(element);
      });
      waiting.set(number, entry);
    }
    return waiting.get(number).content;
  }

  return {
    title: index.title,
    sources: index.sources,
    /** Called by the data files. */
    put: (number, content) => waiting.get(number).settle(content),
    /** The address of a copied file, relative to the page; empty for a file that was too large to copy. */
    fileOf: (address) => (index.files.includes(address) ? `files/${address.split("/").map(encodeURIComponent).join("/")}` : ""),
    /** What the server would answer. */
    answer(path, { method = "GET", body = "" } = {}) {
      if (path === "/api/catalogue") return Promise.resolve(index.catalogue);
      if (path === "/api/folders") return Promise.resolve(index.folders);
      if (path === "/api/tasks" && method === "POST") {
        const { operation, arguments: args } = JSON.parse(body), task = index.tasks[keyOf(operation, args)];
        return task ? Promise.resolve({ digest: String(task.number), operation, arguments: args, state: "done", at: 0, now: 0, seconds: 0, command: task.command, python: task.python }) : missing();
      }
      const number = /^\/api\/tasks\/(\d+)$/.exec(path);
      if (number) return read(Number(number[1]));
      const file = path.startsWith("/files/") ? index.contents[decodeURIComponent(path.slice("/files/".length))] : undefined;
      return file === undefined ? missing() : read(file);
    },
  };
})();
