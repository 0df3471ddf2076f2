/** As `models.<name>.pod`. */
import { isPinned } from "../../catalog/image-reference";
import { keyOf, type ModelDraft, type Plain } from "./draft";
import type { Ledger } from "./ledger";
import { cpuCount, gibibytes } from "./nodes-of-pods";
import { isMapping, mappingOf, type Path } from "./path";
import { plainText } from "./plain-text";
import type { PodPart } from "./pod-draft";
import { holdsSecret, isSecretPlace } from "./secrets";
import { withRegistry } from "./server-image";
import { readFromClaim } from "./stored-weights";
import { isSecret, valuesOf, variablesOf } from "./variables";

export interface PodPlaces {
  readonly volumes: Path;
  readonly mounts: Path;
  readonly initContainers?: Path;
  readonly containers?: Path;
  readonly serving?: number;
  readonly labels?: Path;
  readonly annotations?: Path;
}

/** The claim may contain weights. */
interface Mount {
  readonly name: string;
  readonly mountPath: string;
  readonly at: Path;
}

/** Keys for scrapers, injectors and installers: the platform sets its own. */
const OTHERS_KEYS =
  /^(prometheus\.|sidecar\.istio\.io\/|linkerd\.io\/|app\.kubernetes\.io\/|helm\.sh\/|autoscaling\.knative|meta\.helm)/;

/** Replaced by the model store. */
const FETCHES =
  /huggingface-cli|\bhf download|snapshot_download|aws s3|gsutil|gcloud storage|git clone|\bmc (cp|mirror)|storage-initializer/;

/** Replaced by the platform's gateway. */
const GATEWAYS = /routing-sidecar|routing-proxy|endpoint-picker|istio\/proxyv2/;

const NOT_COPIED = "secrets are not copied: mount one as models.*.pod.volumes";

const MOVED = (what: string) => `the ${what} must be in the namespace model-<name>, where you make it`;

export function readUserPod(model: ModelDraft, places: PodPlaces): void {
  const { pod, ledger } = model;
  readKeys(model, places.labels, "labels");
  readKeys(model, places.annotations, "annotations");
  const volumes = readVolumes(model, places);
  for (const at of placesOf(ledger, places.initContainers)) {
    const isSidecar = ledger.get(...at, "restartPolicy") === "Always";
    readContainerOf(model, at, isSidecar ? pod.sidecars : pod.initContainers, volumes, isSidecar);
  }
  ledger.list(...(places.containers ?? [])).forEach((_, index) => {
    if (index !== places.serving) {
      readContainerOf(model, [...(places.containers ?? []), index], pod.sidecars, volumes, true);
    }
  });
}

/** A list, or a single container. */
function placesOf(ledger: Ledger, at: Path | undefined): Path[] {
  const value = at && ledger.get(...at);
  return at === undefined ? [] : isMapping(value) ? [at] : ledger.list(...at).map((_, index) => [...at, index]);
}

function readKeys({ ledger, pod, places }: ModelDraft, at: Path | undefined, section: "labels" | "annotations"): void {
  for (const key of at === undefined ? [] : ledger.keys(...at)) {
    const place = [...(at ?? []), key];
    const value = ledger.text(...place) ?? "";
    if (isSecret(key, value)) {
      ledger.lost(place, NOT_COPIED);
    } else if (OTHERS_KEYS.test(key)) {
      ledger.changed(place, "the platform labels, scrapes and meshes pods itself");
    } else {
      pod[section][key] = value;
      places.set(`pod.${section}.${key}`, place);
      ledger.mapped(place, `models.*.pod.${section}`);
    }
  }
}

/** @returns names of mountable volumes. */
function readVolumes(model: ModelDraft, { volumes, mounts }: PodPlaces): ReadonlySet<string> {
  const { ledger, pod, places } = model;
  const mounted = ledger.list(...mounts).flatMap((mount, index): Mount[] => {
    const { name, mountPath } = mappingOf(mount);
    return typeof name === "string" && typeof mountPath === "string"
      ? [{ name, mountPath, at: [...mounts, index] }]
      : [];
  });
  const names = new Set<string>();
  ledger.list(...volumes).forEach((volume, index) => {
    const at = [...volumes, index];
    const name = isMapping(volume) ? plainText(volume.name) : "";
    const mount = mounted.find((each) => each.name === name);
    const source = volumeSource(mappingOf(volume), mount?.mountPath);
    const claim = typeof source === "object" ? source.claim : undefined;
    if (mount !== undefined && typeof claim === "string" && readFromClaim(model, claim, folderOf(mount), at)) {
      ledger.mapped(mount.at, "models.*.source");
      return;
    }
    if (typeof source === "string") {
      ledger.changed(at, source);
      mounted.filter((each) => each.name === name).forEach((each) => void ledger.changed(each.at, source));
      return;
    }
    if (source === undefined || mount === undefined) {
      const why =
        source === undefined
          ? "models.*.pod.volumes takes scratch space of a size, a claim, a ConfigMap or a Secret"
          : "the engine's container does not mount it";
      ledger.lost(at, why);
      mounted.filter((each) => each.name === name).forEach((each) => void ledger.lost(each.at, why));
      return;
    }
    const readOnly = ledger.get(...mount.at, "readOnly") === true || "configMap" in source || "secret" in source;
    const key = keyOf(name);
    names.add(key);
    pod.volumes.push({
      name: key,
      mountPath: folderOf(mount),
      ...source,
      ...(!readOnly && !("scratchGiB" in source) && { readOnly }),
    });
    places.set(`pod.volumes.${key}`, at);
    const [kind = ""] = Object.keys(source);
    if (kind === "scratchGiB") {
      ledger.mapped(at, "models.*.pod.volumes");
    } else {
      ledger.changed(at, MOVED(kind), "models.*.pod.volumes");
    }
    if (ledger.get(...mount.at, "subPath") === undefined) {
      ledger.mapped(mount.at, "models.*.pod.volumes");
    } else {
      ledger.changed(mount.at, "a volume is mounted as a whole, without subPath", "models.*.pod.volumes");
    }
  });
  return names;
}

function folderOf({ mountPath }: Mount): string {
  return mountPath.replace(/\/+$/, "");
}

/** Text: what replaces the volume; undefined: not supported. */
function volumeSource(
  volume: Readonly<Record<string, unknown>>,
  mountPath = "",
): Readonly<Record<string, Plain>> | string | undefined {
  const of = (kind: string) => mappingOf(volume[kind]);
  const claim = of("persistentVolumeClaim").claimName;
  const configMap = of("configMap").name;
  const secret = of("secret").secretName;
  if (typeof claim === "string") {
    return { claim };
  }
  if (typeof configMap === "string") {
    return { configMap };
  }
  if (typeof secret === "string") {
    return { secret };
  }
  if (!Object.hasOwn(volume, "emptyDir")) {
    return undefined;
  }
  const size = gibibytes(of("emptyDir").sizeLimit);
  if (of("emptyDir").medium === "Memory" || mountPath === "/dev/shm") {
    return "/dev/shm is planned from the model";
  }
  return size === undefined
    ? "temporary space of the engine is planned: a volume with a size is models.*.pod.volumes"
    : { scratchGiB: Math.max(1, Math.ceil(size)) };
}

function readContainerOf(
  model: ModelDraft,
  at: Path,
  into: PodPart[],
  volumes: ReadonlySet<string>,
  isSidecar: boolean,
): void {
  const { ledger, places } = model;
  const section = isSidecar ? "sidecars" : "initContainers";
  const image = ledger.text(...at, "image") ?? "";
  const words = (key: string) => ledger.list(...at, key).map(String);
  const line = [...words("command"), ...words("args")];
  const text = [image, ...line].join(" ");
  const mounts = ledger.list(...at, "volumeMounts").filter(isMapping);
  const unknown = mounts.map(({ name }) => keyOf(plainText(name))).filter((name) => !volumes.has(name));
  const cpu = cpuOf(model, at);
  const memoryGiB = memoryOf(model, at);
  if (FETCHES.test(text)) {
    ledger.changed(at, "the model store fetches the weights");
    return;
  }
  if (GATEWAYS.test(text)) {
    ledger.changed(at, "the platform's gateway takes its place");
    return;
  }
  if (line.some((word, index) => holdsSecret(word) || isSecretPlace([index], line[index - 1]))) {
    ledger.lost(at, `its command line has a secret: ${NOT_COPIED}`);
    return;
  }
  const missing = [
    ...(image === "" || !isPinned(withRegistry(image)) ? ["an image whose tag does not move"] : []),
    ...(isSidecar && cpu === undefined ? ["its CPU"] : []),
    ...(isSidecar && memoryGiB === undefined ? ["its memory"] : []),
    ...(unknown.length > 0 ? [`the volume ${unknown.join(", ")} in the engine's container too`] : []),
  ];
  if (missing.length > 0) {
    ledger.lost(at, `models.*.pod.${section} needs ${missing.join(", ")}`);
    return;
  }
  const name = keyOf(ledger.text(...at, "name") ?? "container");
  const all = variablesOf(ledger.get(...at, "env"), []);
  const copied = all.filter(({ name: variable, value }) => !isSecret(variable, value));
  const variables = valuesOf(copied);
  into.push({
    name,
    image: withRegistry(image),
    ...(words("command").length > 0 && { command: words("command") }),
    ...(words("args").length > 0 && { args: words("args") }),
    ...(Object.keys(variables).length > 0 && { env: variables }),
    ...(mounts.length > 0 && {
      mounts: Object.fromEntries(mounts.map((mount) => [keyOf(plainText(mount.name)), plainText(mount.mountPath)])),
    }),
    ...(isSidecar && cpu !== undefined && memoryGiB !== undefined && { cpu, memoryGiB }),
  });
  places.set(`pod.${section}.${name}`, at);
  const kept = ["name", "image", "command", "args", "env", "volumeMounts", "resources"];
  const left = [
    ...ledger.keys(...at).filter((key) => !kept.includes(key)),
    ...all.flatMap((each) => (each.value === undefined || !copied.includes(each) ? [`env ${each.name}`] : [])),
  ];
  ledger.changed(
    at,
    `it runs as user 65532 with a read-only root file system${left.length === 0 ? "" : `, without ${left.join(", ")}`}`,
    `models.*.pod.${section}`,
  );
}

function cpuOf({ ledger }: ModelDraft, at: Path): number | undefined {
  const count = cpuCount(
    ledger.get(...at, "resources", "limits", "cpu") ?? ledger.get(...at, "resources", "requests", "cpu"),
  );
  return count === undefined ? undefined : Math.max(0.01, count);
}

function memoryOf({ ledger }: ModelDraft, at: Path): number | undefined {
  const size = gibibytes(
    ledger.get(...at, "resources", "limits", "memory") ?? ledger.get(...at, "resources", "requests", "memory"),
  );
  return size === undefined ? undefined : Math.max(0.03125, Math.round(size * 1000) / 1000);
}
