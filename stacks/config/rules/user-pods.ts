/** `models.<name>.pod`: settings that Kubernetes, platform or plan would refuse or lose. */
import { engineOf } from "../../../engines";
import { isTakenLabel } from "../../../names/labels";
import { MODEL_FOLDER } from "../../../names/pod-folders";
import type { UserContainer, UserPod, UserVolume } from "../../../planner/types";
import { holdsToken } from "../core/credentials";
import { HIDDEN, list, type Path, type ProblemDraft, suggest } from "../core/problems";
import type { Rule } from "../core/rule";

/** Folders of engines and system, which a volume would hide. */
const TAKEN_FOLDERS = [
  MODEL_FOLDER,
  "/cache",
  "/tmp",
  "/dev",
  "/proc",
  "/sys",
  "/etc",
  "/usr",
  "/bin",
  "/lib",
  "/var/run",
];
/** Annotation prefix for networks without NetworkPolicies (Multus). */
const NETWORKS = "cncf.io";

export const userPodsCanStart: Rule = function* ({ sections }) {
  for (const [name, { pod, engine }] of Object.entries(sections.models ?? {})) {
    if (pod === undefined) {
      continue;
    }
    const path = ["models", name, "pod"];
    const { label, companion } = engineOf(engine);
    if (companion) {
      yield {
        path,
        value: pod,
        allowed: `nothing with ${label}: its operator makes pods of several kinds from one image`,
        fix: "remove pod, or take another engine",
      };
      continue;
    }
    yield* volumeProblems(path, pod.volumes ?? []);
    yield* containerProblems(path, pod);
    yield* keyProblems([...path, "labels"], pod.labels);
    yield* keyProblems([...path, "annotations"], pod.annotations);
  }
};

function* volumeProblems(path: Path, volumes: readonly UserVolume[]): Generator<ProblemDraft> {
  for (const [index, volume] of volumes.entries()) {
    const here = [...path, "volumes", index];
    const { scratchGiB, claim, configMap, secret, mountPath, name } = volume;
    const sources = Object.entries({ scratchGiB, claim, configMap, secret }).filter(([, value]) => value !== undefined);
    if (sources.length !== 1) {
      yield {
        path: here,
        value: sources.length === 0 ? undefined : sources.map(([key]) => key).join(" and "),
        allowed: "one of scratchGiB, claim, configMap and secret; folders of the node are no choice",
        fix: sources.length === 0 ? "add one, for example scratchGiB: 100" : "keep one of them",
      };
    }
    const taken = TAKEN_FOLDERS.find((folder) => mountPath === folder || mountPath.startsWith(`${folder}/`));
    const same = volumes.findIndex((other) => other.mountPath === mountPath);
    if (taken !== undefined || same < index) {
      yield {
        path: [...here, "mountPath"],
        value: mountPath,
        allowed: taken === undefined ? "a path of its own" : `a path outside of ${list(TAKEN_FOLDERS)}`,
        fix: `write another, for example /own/${name}`,
      };
    }
    if (volumes.findIndex((other) => other.name === name) < index) {
      yield { path: [...here, "name"], value: name, allowed: "a name of its own", fix: "rename one of the two" };
    }
  }
}

function* containerProblems(path: Path, { sidecars = [], initContainers = [], volumes = [] }: UserPod) {
  const names = new Set<string>();
  const all = [
    ...initContainers.map((container, index) => ({ container, path: [...path, "initContainers", index] })),
    ...sidecars.map((container, index) => ({ container, path: [...path, "sidecars", index] })),
  ];
  for (const { container, path: here } of all) {
    if (names.has(container.name)) {
      yield {
        path: [...here, "name"],
        value: container.name,
        allowed: "a unique name among sidecars and initContainers",
        fix: "rename one of the two",
      };
    }
    names.add(container.name);
    yield* contentProblems(here, container, volumes);
  }
}

function* contentProblems(
  path: Path,
  { mounts = {}, env = {}, args = [] }: UserContainer,
  volumes: readonly UserVolume[],
) {
  const known = volumes.map(({ name }) => name);
  for (const name of Object.keys(mounts).filter((each) => !known.includes(each))) {
    yield {
      path: [...path, "mounts", name],
      value: name,
      allowed: `volumes of the same pod: ${list(known)}`,
      fix: suggest(name, known, "add it to pod.volumes, or remove it"),
    };
  }
  const texts: (readonly [Path, string])[] = [
    ...Object.entries(env).map(([name, value]) => [[...path, "env", name], value] as const),
    ...args.map((value, index) => [[...path, "args", index], value] as const),
  ];
  for (const [where] of texts.filter(([, value]) => holdsToken(value))) {
    yield {
      path: where,
      value: HIDDEN,
      allowed: "no secrets: anyone who can view the pod can read them",
      fix: "put it into a Secret of the namespace and mount that as a volume; treat this value as leaked",
    };
  }
}

function* keyProblems(path: Path, values: Readonly<Record<string, string>> = {}): Generator<ProblemDraft> {
  for (const [key, value] of Object.entries(values)) {
    const prefix = key.split("/")[0] ?? "";
    if (isTakenLabel(key) || prefix.endsWith(NETWORKS)) {
      yield {
        path: [...path, key],
        value,
        allowed: `keys that nothing here has a meaning for: Kubernetes, the platform and its network act upon ${prefix}`,
        fix: "remove it, or write a key with a prefix of your own",
      };
    }
  }
}
