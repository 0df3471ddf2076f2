import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { execCredential } from "../../../cli/cluster/exec-credential";
import { NotAsked } from "../../../cli/cluster/failure";
import { clusterContext } from "../../../cli/cluster/kubeconfig";
import { useFolder } from "../run";

const folder = useFolder();
let files = 0;

function fileWith(content: object | string): string {
  files += 1;
  const file = join(folder, `kubeconfig-${files}`);
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  return file;
}

const CLUSTER = {
  server: "https://127.0.0.1:6443",
  "certificate-authority-data": Buffer.from("CA").toString("base64"),
};

function config(name: string, user: object = { token: "secret-token" }, cluster: object = CLUSTER) {
  return {
    "current-context": name,
    clusters: [{ name, cluster }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    users: [{ name, user }],
  };
}

/** What it says instead of a context. */
function refusalOf(run: () => unknown): NotAsked {
  try {
    run();
  } catch (error) {
    if (error instanceof NotAsked) {
      return error;
    }
    throw error;
  }
  throw new Error("it did not refuse");
}

describe("a kubeconfig", () => {
  it("gives address and login of its current context, or of the one that is named", () => {
    const file = fileWith({
      ...config("one"),
      clusters: [...config("one").clusters, ...config("two", {}, { ...CLUSTER, "tls-server-name": "api" }).clusters],
      contexts: [...config("one").contexts, ...config("two").contexts],
    });
    expect(clusterContext({ kubeconfig: file })).toEqual({
      context: "one",
      address: { server: "https://127.0.0.1:6443", ca: "CA", insecure: false },
      login: { token: "secret-token" },
    });
    expect(clusterContext({ kubeconfig: file, context: "two" })).toMatchObject({
      address: { serverName: "api" },
      login: {},
    });
  });

  it("may be several files: the first that has a name decides, and one that is not there is passed over", () => {
    const [first, second] = [fileWith({ ...config("a"), "current-context": "" }), fileWith(config("b"))];
    const KUBECONFIG = [join(folder, "missing"), first, second].join(":");
    expect(clusterContext({}, { KUBECONFIG }).context).toBe("b");
    expect(clusterContext({ context: "a" }, { KUBECONFIG }).context).toBe("a");
  });

  it("names files beside it, and a plugin beside it or on the PATH", () => {
    writeFileSync(join(folder, "ca.pem"), "PEM");
    writeFileSync(join(folder, "token"), "from-file\n");
    const user = { tokenFile: "token", exec: { command: "./login" } };
    const file = fileWith(config("files", user, { server: "https://h:1/", "certificate-authority": "ca.pem" }));
    expect(clusterContext({ kubeconfig: file })).toMatchObject({
      address: { server: "https://h:1", ca: "PEM" },
      login: { token: "from-file", exec: { command: join(folder, "login") } },
    });
    const onPath = fileWith(config("path", { exec: { command: "oci", args: ["ce"] } }));
    expect(clusterContext({ kubeconfig: onPath }).login.exec?.command).toBe("oci");
  });

  it.each<[string, object | string, RegExp]>([
    ["is no YAML", "{secret-token: [", /is no YAML$/],
    ["is something else", { clusters: "secret-token" }, /is not one: clusters/],
    ["has no current context", { ...config("a"), "current-context": undefined }, /no current context/],
    [
      "names a cluster that it lacks",
      { ...config("a"), clusters: [] },
      /names the cluster "a", which the kubeconfig lacks/,
    ],
    ["has no address", config("a", {}, { server: "ftp://secret-token" }), /no server with an https:/],
    ["goes through a proxy", config("a", {}, { ...CLUSTER, "proxy-url": "socks5://localhost:1080" }), /proxy/],
    ["has an old plugin", config("a", { "auth-provider": { name: "oidc" } }), /auth-provider/],
    ["has a plugin without a command", config("a", { exec: { args: [] } }), /without a command/],
    [
      "names a file that is gone",
      config("a", { "client-key": "gone.pem" }),
      /gone\.pem, which cannot be read \(ENOENT\)/,
    ],
  ])("that %s is said, with what to do and without its secrets", (_, content, message) => {
    const refusal = refusalOf(() => clusterContext({ kubeconfig: fileWith(content) }));
    expect(refusal.message).toMatch(message);
    expect(refusal.remedies.length).toBeGreaterThan(0);
    expect(`${refusal.message} ${refusal.remedies.join(" ")}`).not.toContain("secret-token");
  });

  it("must be there where it is named, and some must be where none is", () => {
    const gone = join(folder, "gone");
    expect(refusalOf(() => clusterContext({ kubeconfig: gone })).message).toContain("cannot be read (ENOENT)");
    expect(refusalOf(() => clusterContext({}, { HOME: folder })).message).toContain("there is no kubeconfig");
  });
});

describe("a plugin that gives credentials", () => {
  const address = { server: "https://127.0.0.1:6443", insecure: false };
  const script = (code: string) => ({ command: process.execPath, args: ["-e", code] });
  const failureOf = (code: string, seconds = 20) =>
    execCredential(script(code), address, seconds).then(
      () => expect.unreachable(),
      (error: NotAsked) => error,
    );

  it("is told what asks, and prints a token", async () => {
    const credential = "{kind: 'ExecCredential', status: {token: JSON.parse(process.env.KUBERNETES_EXEC_INFO).kind}}";
    expect(await execCredential(script(`console.log(JSON.stringify(${credential}))`), address, 20)).toEqual({
      token: "ExecCredential",
    });
  });

  it("that fails says its last line, and never what it printed", async () => {
    const failure = await failureOf(
      "console.log('secret-token'); console.error('first\\nNotAuthenticated'); process.exit(3)",
    );
    expect(failure.message).toContain("failed with status 3: NotAuthenticated");
    expect(failure.message).not.toContain("secret-token");
    expect((await failureOf("console.log('secret-token')")).message).toMatch(/printed no credential$/);
  });

  it("that waits for somebody is ended", async () => {
    const started = performance.now();
    expect((await failureOf("setInterval(() => {}, 1000)", 0.4)).message).toContain("gave no credential within 0.4 s");
    expect(performance.now() - started).toBeLessThan(15_000);
  });

  it("that is not installed is named", async () => {
    const missing = { command: "no-such-plugin-of-any-cloud" };
    await expect(execCredential(missing, address, 5)).rejects.toMatchObject({
      message: '"no-such-plugin-of-any-cloud", which the kubeconfig names, is not on the PATH',
    });
  });
});
