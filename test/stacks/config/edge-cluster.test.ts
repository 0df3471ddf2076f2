import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isPublicKeyLine } from "../../../stacks/config/core/ssh-public-key";
import { problemsWith } from "./samples";

const KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGV4YW1wbGUta2V5LW9mLW5vLW1hY2hpbmUtYXQtYWxs";
const HOST = { address: "gpu-box.example.internal", user: "ops", hostKey: KEY };
const POOL = { node: { card: "rtx-4090", gpuCount: 2, vcpus: 32, memoryGiB: 128 } };
const MODELS = { chat: { model: "qwen3-8b", contextTokens: 8192, concurrency: 2 } };

function all(cluster: object, pools: object = { box: POOL }, more: object = {}) {
  return problemsWith({ cluster: { kind: "edge", ...cluster }, pools, models: MODELS, ...more });
}

/** Problems by path, with what mends each. */
function problems(...args: Parameters<typeof all>): string[] {
  return all(...args).map(({ path, fix }) => `${path}: ${fix}`);
}

/** Paths of what is wrong with one setting of the machine. */
function ofHost(changes: object): string[] {
  return all({ provision: "create", hosts: { box: { ...HOST, ...changes } } }).map(({ path }) => path);
}

/** A key as RFC 4253 packs it. */
function packed(type: string, ...fields: readonly Uint8Array[]): string {
  const parts = [Buffer.from(type), ...fields].flatMap((field) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(field.length);
    return [length, field];
  });
  return Buffer.concat(parts).toString("base64");
}

describe("a machine that becomes a cluster", () => {
  it("is one, with one pool of one node", () => {
    const made = { provision: "create", hosts: { box: HOST } };
    expect(problems(made)).toEqual([]);
    expect(problems({ provision: "create", hosts: {} })).toEqual([
      "cluster.hosts: add <name>: {address: …, user: …, hostKey: ssh-ed25519 …}",
    ]);
    expect(problems({ provision: "create", hosts: { box: HOST, second: { ...HOST, address: "b.example" } } })).toEqual([
      expect.stringMatching(/^cluster\.hosts: keep one, .*npm run fleet/),
    ]);
    expect(problems(made, { box: { ...POOL, minNodes: 2 } })).toEqual([
      "pools.box.minNodes: remove minNodes, and maxNodes if it is there",
    ]);
    expect(problems(made, { box: { ...POOL, minNodes: 2, maxNodes: 3 } })).toEqual([
      "pools.box.minNodes: remove minNodes",
      "pools.box.maxNodes: remove maxNodes",
    ]);
  });

  it("is nobody's where the k3s is there already", () => {
    expect(problems({ hosts: { box: HOST } })).toEqual(["cluster.hosts: write provision: create, or remove hosts"]);
    expect(problems({ k3s: { serverNames: ["a.example"] } })).toEqual([
      "cluster.k3s: write provision: create and hosts, or remove k3s",
    ]);
  });

  it.each(["10.0.0.5", "2001:db8::5", "box", "gpu-1.office.example"])("answers at %s", (address) => {
    expect(ofHost({ address })).toEqual([]);
  });

  it.each(["10.0.0.300", "[2001:db8::5]", "Box.example", "ops@box.example", "box.example:22", "ssh://box.example", ""])(
    "does not answer at %s",
    (address) => {
      expect(ofHost({ address })).toEqual(["cluster.hosts.box.address"]);
    },
  );

  it.each(["root", "ops", "_svc", "john.doe", "Administrator"])("is logged in to by %s", (user) => {
    expect(ofHost({ user })).toEqual([]);
  });

  it.each(["John Doe", "$(id)", "-oProxyCommand", "a;b", ""])("is not logged in to by %s", (user) => {
    expect(ofHost({ user })).toEqual(["cluster.hosts.box.user"]);
  });

  it.each([
    ["a comment", `${KEY} root@gpu box`],
    ["ECDSA", `ecdsa-sha2-nistp256 ${packed("ecdsa-sha2-nistp256", Buffer.from("nistp256"), Buffer.alloc(65, 4))}`],
  ])("proves who it is by a key with %s", (_, hostKey) => {
    expect(ofHost({ hostKey })).toEqual([]);
  });

  it.each([
    ["options before it", `from="10.0.0.1" ${KEY}`],
    ["a host before it, as in known_hosts", `gpu-box ${KEY}`],
    ["the type of another", KEY.replace("ssh-ed25519", "ecdsa-sha2-nistp256")],
    [
      "RSA, which the provider cannot check",
      `ssh-rsa ${packed("ssh-rsa", Buffer.from([1, 0, 1]), Buffer.alloc(385, 1))}`,
    ],
    ["its end cut off", KEY.slice(0, -8)],
    ["no type", KEY.replace("ssh-ed25519 ", "")],
    ["a fingerprint in its place", "SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU"],
  ])("does not by one with %s", (_, hostKey) => {
    const [problem, ...others] = all({ provision: "create", hosts: { box: { ...HOST, hostKey } } });
    expect(others).toEqual([]);
    expect(problem?.path).toBe("cluster.hosts.box.hostKey");
    // Not the same key in small letters.
    expect(problem?.fix).toContain(KEY);
  });

  it("shows no private key that somebody took for the public one", () => {
    const hostKey =
      "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA\n-----END OPENSSH PRIVATE KEY-----\n";
    const [problem, ...others] = all({ provision: "create", hosts: { box: { ...HOST, hostKey } } });
    expect(others).toEqual([]);
    expect(problem).toMatchObject({ path: "cluster.hosts.box.hostKey", value: '"(hidden)"' });
    expect(JSON.stringify(problem)).not.toContain("b3Blbn");
  });

  it("has a key that is whole, or none", () => {
    const lengths = fc.integer({ min: 0, max: Buffer.from(KEY.split(" ")[1] ?? "", "base64").length - 1 });
    fc.assert(
      fc.property(lengths, (length) => {
        const cut = Buffer.from(KEY.split(" ")[1] ?? "", "base64").subarray(0, length);
        expect(isPublicKeyLine(`ssh-ed25519 ${cut.toString("base64")}`)).toBe(false);
      }),
    );
  });

  describe("is opened by secrets", () => {
    const ALL = ["sshPrivateKey", "sshPrivateKeyPassphrase", "sshPassword"] as const;
    const secrets = (...names: readonly string[]) =>
      Object.fromEntries(names.map((name) => [name, { secure: "v1:x" }]));
    const NOBODY = "only with cluster.kind: edge and provision: create: nothing else logs in to machines";
    const told = (cluster: object, ...names: readonly string[]) =>
      problemsWith({ cluster, pools: { box: POOL }, models: MODELS, ...secrets(...names) })
        .filter(({ path }) => path.startsWith("ssh"))
        .map(({ path, allowed, fix }) => [path, allowed, fix]);
    const made = { kind: "edge", provision: "create", hosts: { box: HOST } };

    it.each([
      ["an edge cluster that is there already", { kind: "edge" }],
      ["Oracle Cloud", { kind: "oci" }],
      ["AWS", { kind: "aws" }],
      ["whatever the kubeconfig points at", { kind: "local" }],
    ])("which %s has no use for", (_, cluster) => {
      expect(told(cluster, ...ALL)).toEqual(
        ALL.map((name) => [name, NOBODY, `pulumi config rm inference-stacks:${name}`]),
      );
    });

    it.each([[["sshPrivateKey"]], [["sshPrivateKey", "sshPrivateKeyPassphrase"]], [["sshPassword"]], [[...ALL]], [[]]])(
      "as it needs them: %s",
      (names) => {
        expect(told(made, ...names)).toEqual([]);
      },
    );

    it("of which a passphrase alone opens nothing", () => {
      expect(told(made, "sshPrivateKeyPassphrase", "sshPassword")).toEqual([
        [
          "sshPrivateKeyPassphrase",
          "only with sshPrivateKey: keys of the SSH agent are open",
          "pulumi config rm inference-stacks:sshPrivateKeyPassphrase",
        ],
      ]);
    });
  });
});
