// The choice of the page, and the bar above it.

const PAGES = [["/design", "Design", designPage], ["/topology", "Topology", topologyPage], ["/floor", "Floor", floorPage], ["/growth", "Growth", growthPage], ["/curves", "Curves", curvesPage], ["/folders", "Folders", foldersPage], ["/jobs", "Jobs", jobsPage]];
let leave = null, knownCatalogue = null;

async function showPage() {
  const main = document.getElementById("main");
  if (leave) leave();
  leave = null;
  hideTip();
  const path = location.pathname === "/" ? "/topology" : location.pathname;
  const [, title, page] = PAGES.find(([one]) => one === path) || PAGES[1];
  document.title = `${title} \u2013 topoloom`;
  for (const link of document.querySelectorAll("#pages a")) {
    if (link.getAttribute("href") === path) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  main.replaceChildren();
  try {
    knownCatalogue = knownCatalogue || (await api("/api/catalogue"));
    leave = page(main, new URLSearchParams(location.search), knownCatalogue) || null;
  } catch (error) {
    main.replaceChildren(make("p", { class: "wrong", role: "alert" }, error.message));
  }
}

document.getElementById("pages").append(...PAGES.map(([path, title]) => make("a", { href: path }, title)));
document.addEventListener("click", (event) => {
  const link = event.target.closest && event.target.closest("a[href^='/']");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  history.pushState(null, "", link.getAttribute("href"));
  showPage();
});
window.addEventListener("popstate", showPage);
const busy = new Map();
ANYONE.add((job) => {
  if (over(job)) busy.delete(job.digest);
  else busy.set(job.digest, job);
  document.getElementById("queue").textContent = busy.size ? `${counted(busy.size, "task")} running or waiting` : "";
});
listen();
showPage();
