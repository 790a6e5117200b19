// The served folders: networks, designs and studies, with their pages and files.

function foldersPage(main, query) {
  const box = make("div"), shown = make("div"), wrong = makeWrong();
  main.append(make("h1", {}, "Folders"), wrong, box, shown);
  const open = (path) => {
    address("/folders", { file: path });
    shown.replaceChildren(make("h2", {}, path), make("iframe", { src: `/files/${path.split("/").map(encodeURIComponent).join("/")}`, sandbox: "allow-scripts", title: path }));
  };
  api("/api/folders").then((folders) => {
    if (!folders.length) box.append(make("p", { class: "quiet" }, "No folder is served; name folders on the command line: topoloom serve demo studies"));
    for (const folder of folders) {
      box.append(make("h3", {}, folder.address, " ", make("small", {}, folder.kind)), make("p", {}, folder.kind === "network" || folder.kind === "design" ? make("a", { href: `/topology?spec=${encodeURIComponent(folder.address)}` }, "draw") : null, " ",
        ...folder.files.flatMap((name) => [make("button", { type: "button", class: "chip", onclick: () => open(`${folder.address}/${name}`) }, name), " "])));
    }
    if (query.get("file")) open(query.get("file"));
  }).catch((error) => showWrong(wrong, error));
}
