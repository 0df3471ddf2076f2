import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { ARGO_CD_NAMESPACE } from "../../../names/namespaces";
import { repositoryRoot } from "../../../names/repository-root";
import { chartsWithCrds, GITOPS_CRDS, installChartCrds, installCrds } from "../../../rehearsal/cluster/chart-crds";
import type { ControlPlane } from "../../../rehearsal/cluster/control-plane";
import { waitingPods } from "../../../rehearsal/cluster/pods";
import { kindsOf, recordedObjects } from "../../../rehearsal/cluster/recorded-objects";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { requirePart } from "../../../rehearsal/parts/find";
import { TestBed, type TestBedOptions } from "../../e2e/engine/test-bed";
import { since, timed } from "../stopwatch";

const ENVIRONMENT = "dev";

/** When the engine writes its state: the differences are what the state costs. What `up` again takes is engine, host and program. */
const KEEPING = [
  { checkpoints: "step", name: "state after every step" },
  { checkpoints: "compressed step", name: "state after every step, compressed" },
  { checkpoints: "end", name: "state at the end only" },
] as const;

const GITOPS_KINDS = [
  "Application.argoproj.io",
  "AppProject.argoproj.io",
  "ExternalSecret.external-secrets.io",
  "Fake.generators.external-secrets.io",
];

export interface ApplyComparison {
  readonly environment: string;
  readonly objects: number;
  /** Seconds of each alternative, one per round. The first is what the others are compared with. */
  readonly alternatives: readonly { readonly name: string; readonly seconds: readonly number[] }[];
}

/**
 * The same environment created by the real engine, and by kubectl from the rendered YAML, each on an API server of its own
 * with the custom resource definitions installed beforehand, and nodes whose pods get ready at once.
 *
 * @throws Error that names the command which installs a missing part.
 */
export async function compareWithApply(rounds: number, progress: (text: string) => void): Promise<ApplyComparison> {
  const kubectl = requirePart("kubectl");
  const folder = mkdtempSync(join(tmpdir(), "inference-stacks-bench-"));
  const yaml = join(folder, "rendered");
  const accepted: number[] = [];
  const ready: number[] = [];
  const ups = KEEPING.map((keeping) => ({ ...keeping, first: [] as number[], again: [] as number[] }));
  let objects = 0;
  try {
    await promisify(execFile)(process.execPath, ["cli/run.mjs", "render", ENVIRONMENT, "--out", yaml], {
      cwd: repositoryRoot(),
    });
    for (let round = 1; round <= rounds; round++) {
      for (const { checkpoints, name, first, again } of ups) {
        progress(`round ${round} of ${rounds}: ${ENVIRONMENT} by the engine, ${name}`);
        await withTestBed(checkpoints, async (bed) => {
          objects = recordedObjects(bed.offline.recording.resources).length;
          first.push(await timed(() => bed.stack.up()));
          again.push(await timed(() => bed.stack.up({ expectNoChanges: true })));
        });
      }
      progress(`round ${round} of ${rounds}: ${ENVIRONMENT} by kubectl`);
      await withTestBed("end", async ({ plane }) => {
        await prepareForGitOps(plane);
        const started = performance.now();
        await apply(kubectl, plane, yaml);
        accepted.push(since(started));
        await waitFor("all pods to be ready", async () => {
          const waiting = await waitingPods(plane.client);
          return waiting.length === 0 ? true : undefined;
        });
        ready.push(since(started));
      });
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return {
    environment: ENVIRONMENT,
    objects,
    alternatives: [
      { name: "kubectl apply --server-side, until pods are ready", seconds: ready },
      { name: "kubectl apply --server-side, until accepted", seconds: accepted },
      ...ups.map(({ name, first }) => ({ name: `pulumi up, ${name}`, seconds: first })),
      ...ups.map(({ name, again }) => ({ name: `pulumi up again, ${name}`, seconds: again })),
    ],
  };
}

/** The environment's surroundings with the custom resource definitions of all its charts. */
async function withTestBed(
  checkpoints: TestBedOptions["checkpoints"] & string,
  work: (bed: TestBed) => Promise<void>,
): Promise<void> {
  const bed = await TestBed.start(ENVIRONMENT, {}, { checkpoints });
  try {
    const kinds = kindsOf(recordedObjects(bed.offline.recording.resources));
    for (const chart of chartsWithCrds()) {
      await installChartCrds(bed.plane.client, chart, kinds);
    }
    await work(bed);
  } finally {
    await bed.stop();
  }
}

/** What the rendered YAML expects of a cluster besides its charts' definitions: docs/gitops.md. */
async function prepareForGitOps({ client }: ControlPlane): Promise<void> {
  await Promise.all(GITOPS_CRDS.map((source) => installCrds(client, source, new Set(GITOPS_KINDS))));
  await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: ARGO_CD_NAMESPACE } });
}

async function apply(kubectl: string, plane: ControlPlane, folder: string): Promise<void> {
  const args = ["apply", "--server-side", "--kustomize", folder, `--kubeconfig=${plane.kubeconfig}`];
  await promisify(execFile)(kubectl, args, { maxBuffer: 64 * 2 ** 20 });
}
