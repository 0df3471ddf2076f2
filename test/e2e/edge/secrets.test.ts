import { describe, expect, it, vi } from "vitest";
import { dial } from "../engine/providers/ssh/connection";
import { runRemotely } from "../engine/providers/ssh/run";
import { leaks } from "../engine/secret-search";
import { TestBed } from "../engine/test-bed";
import { sharedBySuite } from "../shared-by-suite";
import type { Machine } from "./machine/machine";
import { Onlooker } from "./onlooker";

vi.mock("../../../catalog/k3s", async (original) => (await import("./machine/release")).standInCatalog(original));

/** What of a password is the same in a shell, in JSON and in base64; the rest of it has what shells and JSON treat otherwise. */
const PASSWORD_CORE = "of-sudo-alone";
const PASSWORD = `it's a "$HOME" \\password ${PASSWORD_CORE}`;
const PASSPHRASE = "the passphrase of a key";
const WRONG = "what-was-typed-wrong";
/** No secret of the product's: an operator's who is careless. */
const CANARY = "typed-where-everybody-sees-it";

const TOKEN_FILE = "/var/lib/rancher/k3s/server/token";
const KUBECONFIG_FILE = "/etc/rancher/k3s/k3s.yaml";
/** Where each of k3s' own secrets is while k3s is there. */
const OF_K3S = {
  nodeToken: [TOKEN_FILE],
  kubeconfigToken: [KUBECONFIG_FILE],
  kubeconfigKey: [KUBECONFIG_FILE],
};
const HISTORY = "/home/ops/.bash_history";

describe("a machine whose user has a password, and whose key has a passphrase", { timeout: 120_000 }, () => {
  const bed = sharedBySuite(() =>
    TestBed.start(
      "edge-nvidia",
      { "inference-stacks:scope": { value: "cluster" } },
      { machine: { password: PASSWORD, passphrase: PASSPHRASE } },
    ),
  );
  const shared: { onlooker?: Onlooker; secrets?: Secrets } = {};
  const onlooker = (): Onlooker => {
    const { machine, backend, stack } = bed();
    shared.onlooker ??= new Onlooker(machine, [backend, stack.workspace.workDir]);
    return shared.onlooker;
  };
  const seen = (): Record<string, string[]> => placesOf(shared.secrets ?? {}, onlooker().seen);
  const setPassword = (value: string): Promise<void> =>
    bed().stack.setConfig("inference-stacks:sshPassword", { value, secret: true });

  it("becomes a cluster, and shows no secret but k3s' own, in two files for root alone", async () => {
    const { stack, machine } = bed();
    await onlooker().during((listeners) => stack.up({ ...listeners, message: CANARY }));
    shared.secrets = await secretsOf(bed());
    expect(seen()).toEqual(OF_K3S);
    for (const path of [TOKEN_FILE, KUBECONFIG_FILE]) {
      expect(machine.written().get(path)).toMatch(/^100600 /);
    }
  });

  it("is looked at where somebody careless shows a secret: everywhere", async () => {
    const { machine } = bed();
    await onlooker().during(() => logIn(machine, `sh -c 'sleep 1' ${CANARY}; echo "export X=${CANARY}" >>${HISTORY}`));
    const places = leaks(onlooker().seen, [CANARY]).map((place) => place.replace(/^.*\.pulumi\/(\w+)\/.*$/, "$1"));
    expect(new Set(places)).toEqual(new Set(["processes", "log commands", HISTORY, "history"]));
    const stateFiles = leaks(onlooker().seen, ["K3sCluster::cluster"]);
    for (const kept of [/the engine's output/, /\/stacks\/.*\.json$/, /\/backups\/.*\.json$/, /\/history\/.*\.json$/]) {
      expect(stateFiles).toContainEqual(expect.stringMatching(kept));
    }
    // What is encrypted in those files is what is searched for.
    const opened = new Map([["state", JSON.stringify(await bed().stack.exportStack())]]);
    const { nodeToken, wrongPassword, ...ofState } = shared.secrets ?? {};
    expect(Object.keys(placesOf(ofState, opened))).toEqual(Object.keys(ofState));
  });

  it("shows nothing more when its settings change, a wrong password is refused, and it is left", async () => {
    const { stack, machine } = bed();
    const cluster = JSON.parse((await stack.getConfig("inference-stacks:cluster")).value);
    await stack.setConfig("inference-stacks:cluster", {
      value: JSON.stringify({ ...cluster, k3s: { serverNames: ["edge.example.internal"] } }),
    });
    await setPassword(WRONG);
    await onlooker().during((listeners) =>
      expect(stack.up(listeners)).rejects.toThrow("sudo does not let ops become root"),
    );
    await setPassword(PASSWORD);
    await onlooker().during((listeners) => stack.up(listeners));
    expect(machine.read("/etc/rancher/k3s/config.yaml")).toContain("edge.example.internal");
    await bed().unprotect();
    await onlooker().during((listeners) => stack.destroy(listeners));
    expect(machine.commands().at(-1)).toMatch(/k3s uninstall$/);
    expect(seen()).toEqual(OF_K3S);
    expect(placesOf(shared.secrets ?? {}, machine.contents())).toEqual({});
  });
});

/** Runs a command as its user, who knows what opens the key. */
async function logIn({ address, user, keys }: Machine, command: string): Promise<void> {
  const connection = { host: address, user, privateKey: keys.privateKey, privateKeyPassword: PASSPHRASE };
  const client = await dial({ ...connection, hostKey: keys.hostKey }, () => undefined);
  const nobody = { onStdout: () => undefined, onStderr: () => undefined, onRefused: () => undefined };
  await runRemotely(client, { command }, nobody);
  client.end();
}

/** Values that nobody may read, by whose they are. */
type Secrets = Readonly<Record<string, readonly string[]>>;

/** Which of them are where. */
function placesOf(secrets: Secrets, texts: ReadonlyMap<string, string>): Record<string, string[]> {
  const places = Object.entries(secrets).map(([name, values]) => [name, leaks(texts, values)] as const);
  return Object.fromEntries(places.filter(([, where]) => where.length > 0));
}

async function secretsOf(bed: TestBed): Promise<Secrets> {
  const kubeconfig = String((await bed.outputs()).kubeconfig?.value);
  const found = (pattern: RegExp, text: string, what: string): string => {
    const [, value] = pattern.exec(text) ?? [];
    if (value === undefined) {
      throw new Error(`there is no ${what} to search for`);
    }
    return value;
  };
  const keyData = found(/"?client-key-data"?: "?([\w+/=]{40,})/, kubeconfig, "key of the kubeconfig");
  return {
    password: [PASSWORD_CORE],
    passphrase: [PASSPHRASE],
    wrongPassword: [WRONG],
    // The first line of an encrypted key says how it is encrypted, and with it many are alike.
    privateKey: linesOf(bed.machine.keys.privateKey).slice(1),
    kubeconfigToken: [found(/"?token"?: "?([0-9a-f]{40,})/, kubeconfig, "token of the kubeconfig")],
    kubeconfigKey: [keyData, ...linesOf(Buffer.from(keyData, "base64").toString("utf8"))],
    nodeToken: [found(/^(\S{20,})$/m, bed.machine.read(TOKEN_FILE) ?? "", "token of nodes")],
  };
}

/** Of a key in PEM. */
function linesOf(pem: string): string[] {
  return pem.split("\n").filter((line) => line.length > 20 && !line.startsWith("-----"));
}
