// Runs the explorer's scripts for requirement texts on every text of the standard input, { name: text }, by Node.js.
const fs = require("node:fs"), path = require("node:path");
const folder = path.join(__dirname, "../../src/topoloom/web/static"), scripts = ["toml", "kinds", "growth_question"].map((name) => fs.readFileSync(path.join(folder, `${name}.js`), "utf8")).join("\n");
const own = new Function("html", "useState", `${scripts}; return { scanToml, withKey, withoutTable, withTable, withHosts, asMachine, withKind, withPhase, withoutPhase, renamed, isMachine, tomlCount };`)();
const texts = JSON.parse(fs.readFileSync(0, "utf8"));
const answers = Object.entries(texts).map(([name, text]) => {
  const { entries } = own.scanToml(text), plain = entries.filter(({ value }) => value !== undefined), machine = own.isMachine(text);
  const several = machine ? own.withKind(text, null) : own.withKind(own.asMachine(text, [{ name: "DGX H100", nics: 8 }, { name: "DGX B300", nics: 8 }]), null);
  return [name, {
    values: plain.filter(({ value }) => !Array.isArray(value)).map(({ path: key, value }) => [key, value]),
    without: plain.filter(({ path: key }) => !key.some((part) => /^\d+$/.test(part))).map(({ path: key }) => [key, own.withKey(text, key, null)]),
    set: plain.filter(({ path: key }) => !key.some((part) => /^\d+$/.test(part))).map(({ path: key }) => [key, own.withKey(text, key, 7)]),
    added: own.withKey(own.withKey(text, "spares.cables", 3), "limits.racks", 9), several, phases: own.withPhase(own.withPhase(own.withoutTable(several, "phase"))),
    fewer: own.withoutTable(several, `host.${own.tomlCount(several, "host") - 1}`), renamed: own.renamed(several, "host", 0, "first kind"), hosts: machine ? text : own.withHosts(text, "hosts", 1234567),
  }];
});
process.stdout.write(JSON.stringify(Object.fromEntries(answers)));
