import { chartsWithCrds, crdModules } from "./cluster/chart-crds";
import { controllersOf, type ForeignController } from "./cluster/foreign-controllers";
import { KARPENTER_MODULE } from "./cluster/karpenter";
import { moduleFolder, requirePart } from "./parts/find";
import type { BinaryName } from "./parts/parts";

const BINARIES: readonly BinaryName[] = ["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok"];

/** KWOK has none of its rules built in. */
const KWOK_MODULE = "sigs.k8s.io/kwok";

const KARPENTER: Pick<ForeignController, "binary" | "module"> = { binary: "karpenter-kwok", module: KARPENTER_MODULE };

/**
 * What a rehearsal needs and this machine lacks: one sentence each, with the command that installs it.
 *
 * @param kinds of the objects that it applies, as `<Kind>.<group>`: some need a controller of their own.
 * @param autoscaled Karpenter makes nodes.
 */
export async function missingParts(kinds: ReadonlySet<string>, { autoscaled = false } = {}): Promise<string[]> {
  const controllers = [...controllersOf(kinds), ...(autoscaled ? [KARPENTER] : [])];
  const binaries = [...BINARIES, ...controllers.map(({ binary }) => binary)];
  const modules = new Set([KWOK_MODULE, ...controllers.map(({ module }) => module), ...crdModules(chartsWithCrds())]);
  const [ofBinaries, ofModules] = await Promise.all([
    failures(binaries.map(async (binary) => requirePart(binary))),
    failures([...modules].map((module) => moduleFolder(module))),
  ]);
  // Without Go all of them fail for one reason.
  return [...ofBinaries, ...(ofModules.length === modules.size ? ofModules.slice(0, 1) : ofModules)];
}

/** What the checks that failed say. */
async function failures(checks: readonly Promise<unknown>[]): Promise<string[]> {
  const results = await Promise.allSettled(checks);
  return results.flatMap((result) => (result.status === "rejected" ? [messageOf(result.reason)] : []));
}

function messageOf(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason);
}
