// Brings connections of a port of this machine to an API server: node relay.cjs PORT FILE, with "address port" in the file.
const { readFileSync } = require("node:fs");
const { connect, createServer } = require("node:net");

const [port, file] = process.argv.slice(2);
const [host, target] = readFileSync(file, "utf8").trim().split(" ");
createServer((client) => {
  const server = connect({ host, port: Number(target) });
  client.pipe(server).pipe(client);
  client.on("error", () => server.destroy());
  server.on("error", () => client.destroy());
}).listen(Number(port));
