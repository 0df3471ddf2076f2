import type * as automation from "@pulumi/pulumi/automation";
import { describe, expect, it, vi } from "vitest";
import { K3S_INSTALLER, k3sFor, k3sUrl } from "../../../catalog/k3s";
import type { KubernetesObject } from "../../../kubernetes/object";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { killEngine } from "../../e2e/engine/kill-engine";
import { type Operation, operation } from "../../e2e/engine/operations";
import { TestBed } from "../../e2e/engine/test-bed";
import { sharedBySuite } from "../../e2e/shared-by-suite";

vi.mock("../../../catalog/k3s", async (original) =>
  (await import("../../e2e/edge/machine/release")).standInCatalog(original),
);

const BINARY = k3sUrl(k3sFor("amd64").binary);
const DOWNLOADS = "/var/lib/inference-stacks/downloads";

/** A place where an installation stands still until it is let go on. */
interface Point {
  readonly name: string;
  /** What dies there. */
  readonly dies: "engine" | "session" | "both";
  readonly hold: (bed: TestBed) => void;
  /** Whether it has come that far. */
  readonly isThere: (bed: TestBed) => boolean;
  readonly release: (bed: TestBed) => void;
}

const releaseDownloads = ({ machine }: TestBed): void => machine.downloads.release();

const POINTS: readonly Point[] = [
  {
    name: "before the checks have ended",
    dies: "both",
    hold: ({ machine }) => machine.downloads.hold({ method: "HEAD", url: BINARY, after: 0 }),
    isThere: ({ machine }) => machine.downloads.asked.includes(BINARY),
    release: releaseDownloads,
  },
  {
    name: "in the middle of a download",
    dies: "both",
    hold: ({ machine }) => machine.downloads.hold({ method: "GET", url: BINARY, after: 1 << 20 }),
    isThere: ({ machine }) =>
      (machine.read(`${DOWNLOADS}/${k3sFor("amd64").binary.sha256}.part`)?.length ?? 0) >= 1 << 19,
    release: releaseDownloads,
  },
  {
    name: "after the settings were written, before the unit is",
    dies: "session",
    hold: ({ machine }) => machine.downloads.hold({ method: "GET", url: K3S_INSTALLER.url, after: 0 }),
    isThere: ({ machine }) =>
      machine.downloads.asked.includes(K3S_INSTALLER.url) && machine.read("/etc/rancher/k3s/config.yaml") !== undefined,
    release: releaseDownloads,
  },
  {
    name: "after k3s was started, before its node is ready, while the script stays at work",
    dies: "engine",
    hold: ({ machine }) => machine.hold("node", true),
    isThere: ({ machine }) => machine.read("/etc/rancher/k3s/k3s.yaml") !== undefined,
    release: ({ machine }) => machine.hold("node", false),
  },
  {
    name: "while the kubeconfig is read",
    dies: "both",
    hold: ({ machine }) => machine.hold("identity", true),
    isThere: ({ machine }) => machine.commands().at(-1)?.endsWith("kubeconfig read") === true,
    release: ({ machine }) => machine.hold("identity", false),
  },
];

describe("an installation that is killed", { timeout: 300_000 }, () => {
  // The state after each step, as users have it: what the engine knew when it was killed is what it goes on from.
  const bed = sharedBySuite(() =>
    TestBed.start("edge-nvidia", { "inference-stacks:scope": { value: "cluster" } }, { checkpoints: "step" }),
  );
  const up = (options: automation.UpOptions = {}): Promise<Operation> =>
    operation((onEvent) => bed().stack.up({ ...options, onEvent }));
  const destroy = async (): Promise<void> => {
    await bed().unprotect();
    await bed().stack.destroy();
  };
  /** What an installation that nobody disturbed ends in. */
  const undisturbed: { machine?: object; resources?: object } = {};

  it("is compared with one that is not", async () => {
    await up();
    undisturbed.machine = Object.fromEntries(bed().machine.written());
    undisturbed.resources = await resourcesOf(bed());
    expect(Object.keys(undisturbed.machine)).toContain("/etc/rancher/k3s/config.yaml");
    // Of these the engine counts all but the two providers that it makes by itself.
    expect(Object.keys(undisturbed.resources)).toHaveLength(8);
  });

  it("reads its kubeconfig anew where that alone is replaced, and nothing else happens", async () => {
    const before = bed().machine.commands().length;
    const urn = await urnOf(bed(), "cluster-kubeconfig");
    const { changes } = await up({ replace: [urn] });
    expect(changes).toEqual({ same: 5, replace: 1 });
    expect(bed().machine.commands().slice(before).map(lastWords)).toEqual(["kubeconfig read"]);
    expect(await resourcesOf(bed())).toEqual(undisturbed.resources);
    expect(Object.fromEntries(bed().machine.written())).toEqual(undisturbed.machine);
  });

  it.each(POINTS)("$name goes on, and ends as if nothing had happened", async ({ dies, hold, isThere, release }) => {
    await destroy();
    bed().machine.downloads.asked.length = 0;
    hold(bed());
    const killed = up().then(
      () => "it ended well",
      () => "killed",
    );
    await waitFor("the place where it is killed", async () => isThere(bed()) || undefined);
    const before = bed().machine.commands().length;
    const pod = await podOf(bed());
    if (dies !== "session") {
      killEngine();
    }
    if (dies !== "engine") {
      bed().machine.killSessions();
    }
    expect(await killed).toBe("killed");
    if (dies !== "session") {
      await bed().stack.cancel();
    }
    const mended = up();
    // The script that is still at work holds the next one back.
    release(bed());
    await mended;
    expect(Object.fromEntries(bed().machine.written())).toEqual(undisturbed.machine);
    expect(await resourcesOf(bed())).toEqual(undisturbed.resources);
    expect(pod && (await bed().plane.client.get(pod))?.metadata.uid).toBe(pod?.metadata.uid);
    expect(bed().machine.commands().slice(before).map(lastWords)).not.toContain("k3s uninstall");
    expect((await up()).changes).toEqual({ same: 6 });
  });
});

/** The script of a command, and its verb. */
function lastWords(command: string): string {
  return command.split(" ").slice(-2).join(" ");
}

/** A pod that somebody starts as soon as there is a cluster; undefined: there is none yet. */
async function podOf({ machine, plane }: TestBed): Promise<KubernetesObject | undefined> {
  if (machine.read("/etc/rancher/k3s/k3s.yaml") === undefined) {
    return undefined;
  }
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: `of-before-${machine.commands().length}`, namespace: "default" },
    spec: { containers: [{ name: "main", image: "example.com/main:1" }] },
  };
  await plane.client.create(pod);
  return plane.client.get(pod);
}

interface StateResource {
  readonly urn: string;
  readonly custom?: boolean;
  readonly outputs?: Readonly<Record<string, unknown>>;
}

async function stateOf({ stack }: TestBed): Promise<readonly StateResource[]> {
  const { deployment } = await stack.exportStack();
  return (deployment as { readonly resources?: readonly StateResource[] }).resources ?? [];
}

/** What the stack keeps of its resources, but what tells how they came about: progress, and ids that the engine draws. */
async function resourcesOf(bed: TestBed): Promise<object> {
  const resources = await stateOf(bed);
  return Object.fromEntries(
    resources.map(({ urn, outputs = {} }) => {
      const { stderr: _progress, ...kept } = outputs;
      return [urn, kept];
    }),
  );
}

async function urnOf(bed: TestBed, name: string): Promise<string> {
  const found = (await stateOf(bed)).find(({ urn }) => urn.endsWith(`::${name}`));
  if (found === undefined) {
    throw new Error(`the state has no ${name}`);
  }
  return found.urn;
}
