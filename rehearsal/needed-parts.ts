import { chartsWithCrds, crdModules } from "./cluster/chart-crds";
import { controllersOf, type ForeignController } from "./cluster/foreign-controllers";
import { KARPENTER_MODULE } from "./cluster/karpenter";
import { lookFor, moduleFolder } from "./parts/find";
import { type BinaryName, partOf } from "./parts/parts";
import { CRDS } from "./parts/pins";

const BINARIES: readonly BinaryName[] = ["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok"];

/** KWOK has no built-in stages. */
const KWOK_MODULE = "sigs.k8s.io/kwok";

const KARPENTER: Pick<ForeignController, "binary" | "module"> = { binary: "karpenter-kwok", module: KARPENTER_MODULE };

export interface MissingParts {
  /** Names for the setup. */
  readonly names: readonly string[];
  /** Why found binaries are not used, one sentence each. */
  readonly skipped: readonly string[];
}

/**
 * Missing toolchain; undefined if complete.
 *
 * @param kinds of the applied objects, as `<Kind>.<group>`: some need a controller.
 * @param autoscaled whether Karpenter creates nodes.
 */
export async function missingParts(
  kinds: ReadonlySet<string>,
  { autoscaled = false } = {},
): Promise<MissingParts | undefined> {
  const controllers = [...controllersOf(kinds), ...(autoscaled ? [KARPENTER] : [])];
  const searches = [...BINARIES, ...controllers.map(({ binary }) => binary)].map((binary) => ({
    part: partOf(binary).name,
    ...lookFor(binary),
  }));
  const missing = searches.filter(({ found }) => found === undefined);
  const modules = [KWOK_MODULE, ...controllers.map(({ module }) => module), ...crdModules(chartsWithCrds(kinds))];
  const folders = await Promise.allSettled([...new Set(modules)].map((module) => moduleFolder(module)));
  const lacksModules = folders.some(({ status }) => status === "rejected");
  const names = [...new Set(missing.map(({ part }) => part)), ...(lacksModules ? [CRDS] : [])];
  return names.length === 0 ? undefined : { names, skipped: missing.flatMap(({ skipped }) => skipped) };
}
