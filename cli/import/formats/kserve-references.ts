/** ServingRuntimes, and base configurations of LLMInferenceServices. */
import type { Ledger } from "../ledger";
import { mergedDocument } from "../merged-document";
import { isMapping, mappingOf, type Path, valueAt } from "../path";
import type { SourceDocument } from "../read-documents";
import { inNamespaceOf, nameOf } from "../references";

type Root = SourceDocument["root"];

export function isKserve(root: Root, kind: string): boolean {
  return String(root.apiVersion).startsWith("serving.kserve.io/") && root.kind === kind;
}

/** The first container of a runtime is `model`. */
const OF_RUNTIME = [
  "nodeSelector",
  "affinity",
  "tolerations",
  "volumes",
  "imagePullSecrets",
  "schedulerName",
  "workerSpec",
];

/** Part of every KServe installation. */
const INSTALLED = /^kserve-/;

const MODEL: Path = ["spec", "predictor", "model"];

/** Rewrites a predictor with a format as key (`huggingface`), like KServe. */
export function withModel(service: SourceDocument): SourceDocument {
  const predictor = mappingOf(valueAt(service.root, ["spec", "predictor"]));
  const { huggingface, ...rest } = predictor;
  if (!isMapping(huggingface) || predictor.model !== undefined) {
    return service;
  }
  const own = (path: Path): Path => {
    const [, , key, field, ...below] = path;
    const formerly: Path = ["spec", "predictor", "huggingface"];
    return key !== "model"
      ? path
      : field === undefined || field === "modelFormat"
        ? formerly
        : [...formerly, field, ...below];
  };
  const model = { modelFormat: { name: "huggingface" }, ...huggingface };
  return {
    file: service.file,
    root: { ...service.root, spec: { ...mappingOf(service.root.spec), predictor: { ...rest, model } } },
    lineOf: (path) => service.lineOf(own(path)),
    sourceOf: (path) => ({ file: service.file, path: own(path) }),
  };
}

/**
 * By name, in the namespace or the cluster; else the enabled one of highest priority for the
 * format.
 */
export function runtimeOf({ root }: SourceDocument, all: readonly SourceDocument[]): SourceDocument | undefined {
  const named = valueAt(root, [...MODEL, "runtime"]);
  const own = inNamespaceOf(
    root,
    all.filter((each) => isKserve(each.root, "ServingRuntime")),
  );
  const shared = all.filter((each) => isKserve(each.root, "ClusterServingRuntime"));
  if (named !== undefined) {
    return [...own, ...shared].find((each) => nameOf(each.root) === named);
  }
  const spansNodes = valueAt(root, ["spec", "predictor", "workerSpec"]) !== undefined;
  const taken = [own, shared].flatMap((runtimes) =>
    runtimes
      .filter((each) => !isDisabled(each) && spansNodes === (valueAt(each.root, ["spec", "workerSpec"]) !== undefined))
      .flatMap((each) => {
        const priority = priorityFor(each, valueAt(root, [...MODEL, "modelFormat"]));
        return priority === undefined ? [] : [{ each, priority }];
      })
      .sort((a, b) => b.priority - a.priority),
  );
  return taken[0]?.each;
}

export function isDisabled({ root }: SourceDocument): boolean {
  return valueAt(root, ["spec", "disabled"]) === true;
}

/** Undefined without automatic selection; missing priorities come last. */
function priorityFor({ root }: SourceDocument, wanted: unknown): number | undefined {
  const { name, version } = mappingOf(wanted);
  const formats = valueAt(root, ["spec", "supportedModelFormats"]);
  const taken = (Array.isArray(formats) ? (formats as unknown[]) : [])
    .map(mappingOf)
    .filter((each) => each.name === name && each.autoSelect === true);
  const fitting = taken.some((each) => version === undefined || String(each.version) === String(version));
  return fitting ? Number(taken[0]?.priority ?? Number.NEGATIVE_INFINITY) : undefined;
}

export function withRuntime(service: SourceDocument, runtime: SourceDocument | undefined): SourceDocument {
  return runtime === undefined || isDisabled(runtime) || !isMapping(valueAt(service.root, MODEL))
    ? service
    : mergedDocument([asService(runtime), service], ["args"]);
}

function asService(runtime: SourceDocument): SourceDocument {
  const spec = valueAt(runtime.root, ["spec"]);
  const { name: _name, ...container } = mappingOf(valueAt(runtime.root, ["spec", "containers", 0]));
  const pod = Object.entries(mappingOf(spec)).filter(([key]) => OF_RUNTIME.includes(key));
  const own = ([, , key, ...rest]: Path): Path =>
    key === "model" ? ["spec", "containers", 0, ...rest] : key === undefined ? ["spec"] : ["spec", key, ...rest];
  return {
    file: runtime.file,
    root: { spec: { predictor: { ...Object.fromEntries(pod), model: container } } },
    lineOf: (path) => runtime.lineOf(own(path)),
    sourceOf: (path) => ({ file: runtime.file, path: own(path) }),
  };
}

/** @returns whether a runtime's part is unknown. */
export function noteRuntime(ledger: Ledger, runtime: SourceDocument | undefined): boolean {
  const at: Path = [...MODEL, "runtime"];
  const name = ledger.text(...at);
  if (runtime !== undefined && isDisabled(runtime)) {
    ledger.wrong(at, `the runtime ${name} is disabled: KServe refuses the service; nothing of the runtime is read`);
  } else if (name !== undefined && runtime === undefined && !INSTALLED.test(name)) {
    ledger.lost(
      at,
      `no file has the ServingRuntime ${name} for this namespace, whose image and flags are missing here: import it with the service`,
    );
    return true;
  }
  return false;
}

const CONFIG = "LLMInferenceServiceConfig";

/** Merges base configurations in their order. */
export function withBaseRefs(service: SourceDocument, all: readonly SourceDocument[]): SourceDocument {
  const bases = refsOf(service.root).flatMap((name) => configNamed(name, service.root, all) ?? []);
  const specs = bases.map(({ file, root, lineOf }): SourceDocument => ({ file, root: { spec: root.spec }, lineOf }));
  const [first, ...others] = [...specs, service];
  return mergedDocument([first ?? service, ...others]);
}

function refsOf(root: Root): readonly unknown[] {
  const refs = valueAt(root, ["spec", "baseRefs"]);
  return Array.isArray(refs) ? (refs as unknown[]).map((each) => (isMapping(each) ? each.name : undefined)) : [];
}

/** KServe's own namespace is shared. */
function configNamed(name: unknown, service: Root, all: readonly SourceDocument[]): SourceDocument | undefined {
  return inNamespaceOf(service, all, ["kserve"]).find(({ root }) => isKserve(root, CONFIG) && nameOf(root) === name);
}

/** @returns whether a configuration's part is unknown. */
export function noteBaseRefs(ledger: Ledger, all: readonly SourceDocument[]): boolean {
  const { root } = ledger.document;
  const missing = refsOf(root).filter((name, index) => {
    const at: Path = ["spec", "baseRefs", index];
    if (configNamed(name, root, all) !== undefined) {
      ledger.changed(at, "what it sets is read as if the service said it");
      return false;
    }
    ledger.lost(
      at,
      `no file has the ${CONFIG} ${String(name)} for this namespace: import it with the service, or write what it sets under the model`,
    );
    return true;
  });
  return missing.length > 0;
}
