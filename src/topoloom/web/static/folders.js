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
    const spec = (folder) => encodeURIComponent(folder.address), within = (machine) => folders.filter((one) => one.address.startsWith(`${machine.address}/networks/`));
    const drawn = (folder) => [make("a", { href: `/network?source=${spec(folder)}&view=structure` }, "draw"), " ", make("a", { href: `/network?source=${spec(folder)}&view=room` }, "room"), " "];
    for (const folder of folders) {
      const files = folder.files.flatMap((name) => [make("button", { type: "button", class: "chip", onclick: () => open(`${folder.address}/${name}`) }, name), " "]);
      box.append(make("h3", {}, folder.address, " ", make("small", {}, folder.kind)), make("p", {}, ...(folder.kind === "machine" ? [make("a", { href: `/network?source=${spec(folder)}&view=room` }, "room"), " "] : []), ...(folder.kind === "network" || folder.kind === "design" ? drawn(folder) : []), ...files));
      if (folder.kind === "machine") box.append(make("ul", {}, ...within(folder).map((one) => make("li", {}, one.address.slice(folder.address.length + "/networks/".length), " ", ...drawn(one)))));
    }
    if (query.get("file")) open(query.get("file"));
  }).catch((error) => showWrong(wrong, error));
}
