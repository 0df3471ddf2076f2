/** What objects of KServe refer to: serving runtimes, and configurations of LLMInferenceServices. */
import type { Ledger } from "../ledger";
import { mergedDocument } from "../merged-document";
import { isMapping, type Path, valueAt } from "../path";
import type { SourceDocument } from "../read-documents";

type Root = SourceDocument["root"];

export function isKserve(root: Root, kind: string): boolean {
  return String(root.apiVersion).startsWith("serving.kserve.io/") && root.kind === kind;
}

const isRuntime = (root: Root) => isKserve(root, "ServingRuntime") || isKserve(root, "ClusterServingRuntime");

const nameOf = (root: Root) => valueAt(root, ["metadata", "name"]);

/** Where a runtime's fields are in an InferenceService: its first container is `model`. */
const OF_RUNTIME = [
  "nodeSelector",
  "affinity",
  "tolerations",
  "volumes",
  "imagePullSecrets",
  "schedulerName",
  "workerSpec",
];

/** Runtimes and configurations that every installation of KServe has. */
const INSTALLED = /^kserve-/;

/** An InferenceService on top of the runtime that it names, or that takes its format by itself. */
export function withRuntime(service: SourceDocument, all: readonly SourceDocument[]): SourceDocument {
  const at = ["spec", "predictor", "model"];
  const [named, format] = [
    valueAt(service.root, [...at, "runtime"]),
    valueAt(service.root, [...at, "modelFormat", "name"]),
  ];
  const runtimes = all.filter(({ root }) => isRuntime(root));
  const runtime =
    runtimes.find(({ root }) => nameOf(root) === named) ??
    (named === undefined ? runtimes.find(({ root }) => formatsOf(root).includes(format)) : undefined);
  return runtime === undefined || !isMapping(valueAt(service.root, at))
    ? service
    : mergedDocument([asService(runtime), service], ["args"]);
}

function formatsOf(root: Root): readonly unknown[] {
  const formats = valueAt(root, ["spec", "supportedModelFormats"]);
  return Array.isArray(formats)
    ? (formats as unknown[]).flatMap((each) => (isMapping(each) && each.autoSelect === true ? [each.name] : []))
    : [];
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

function mappingOf(value: unknown): Readonly<Record<string, unknown>> {
  return isMapping(value) ? value : {};
}

/** Notes a runtime that no file has. */
export function noteRuntime(ledger: Ledger, all: readonly SourceDocument[]): void {
  const at: Path = ["spec", "predictor", "model", "runtime"];
  const name = ledger.text(...at);
  if (name === undefined || INSTALLED.test(name)) {
    return;
  }
  if (!all.some(({ root }) => isRuntime(root) && nameOf(root) === name)) {
    ledger.lost(
      at,
      `no file has the ServingRuntime ${name}, whose image and flags are missing here: import it with the service`,
    );
  }
}

const CONFIG = "LLMInferenceServiceConfig";

/** An LLMInferenceService on top of the configurations that it names, the first one below the others. */
export function withBaseRefs(service: SourceDocument, all: readonly SourceDocument[]): SourceDocument {
  const bases = refsOf(service.root).flatMap((name) => configNamed(name, all) ?? []);
  const specs = bases.map(({ file, root, lineOf }): SourceDocument => ({ file, root: { spec: root.spec }, lineOf }));
  const [first, ...others] = [...specs, service];
  return mergedDocument([first ?? service, ...others]);
}

function refsOf(root: Root): readonly unknown[] {
  const refs = valueAt(root, ["spec", "baseRefs"]);
  return Array.isArray(refs) ? (refs as unknown[]).map((each) => (isMapping(each) ? each.name : undefined)) : [];
}

function configNamed(name: unknown, all: readonly SourceDocument[]): SourceDocument | undefined {
  return all.find(({ root }) => isKserve(root, CONFIG) && nameOf(root) === name);
}

/** Notes each configuration that was read, and each that no file has. */
export function noteBaseRefs(ledger: Ledger, all: readonly SourceDocument[]): void {
  refsOf(ledger.document.root).forEach((name, index) => {
    const at: Path = ["spec", "baseRefs", index];
    if (configNamed(name, all) !== undefined) {
      ledger.changed(at, "what it sets is read as if the service said it");
    } else {
      ledger.lost(
        at,
        `no file has the ${CONFIG} ${String(name)}: import it with the service, or write what it sets under the model`,
      );
    }
  });
}
