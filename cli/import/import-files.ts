/** Converts files to an environment, and reports on every value. */
import { compareWithOriginal, noteMadeNodes } from "./compare";
import { type Draft, emptyDraft } from "./draft";
import { clusterOf } from "./environment";
import { FORMATS } from "./formats/table";
import type { Entry, Ledger } from "./ledger";
import { unfolded } from "./list-documents";
import { type ImportOptions, uselessOption } from "./options";
import { rowOf } from "./path";
import { plainText } from "./plain-text";
import { ImportFileError, type SourceDocument } from "./read-documents";
import { shareOutNames } from "./served-name";
import { firstLine, type Settled, settle } from "./settle";

export interface Imported {
  readonly entries: readonly Entry[];
  /** Undefined without servers and machines. */
  readonly settled?: Settled;
}

/**
 * @param baseDirectory of the environment file.
 * @throws ImportFileError without an importable document.
 */
export async function importDocuments(
  name: string,
  read: readonly SourceDocument[],
  options: ImportOptions,
  baseDirectory: string,
): Promise<Imported> {
  const documents = read.flatMap(unfolded);
  const draft = emptyDraft();
  const ledgers: Ledger[] = [];
  const others: Entry[] = [];
  for (const document of documents) {
    const format = FORMATS.find(({ accepts }) => accepts(document.root));
    if (format === undefined) {
      others.push(unknownDocument(document));
    } else {
      ledgers.push(...format.read(document, draft, documents));
    }
  }
  if (ledgers.length === 0) {
    throw new ImportFileError(noneKnown(documents, others));
  }
  const useless = uselessOption(options, clusterOf({ draft, options }));
  if (useless !== undefined) {
    throw new ImportFileError(useless);
  }
  shareOutNames(draft.models);
  const settled = await settledOf(name, draft, options, baseDirectory);
  noteHostnames(draft, options);
  const entries = [...ledgers.flatMap((ledger) => ledger.entries()), ...others];
  return { entries: inOrder(entries), ...(settled && { settled }) };
}

async function settledOf(
  name: string,
  draft: Draft,
  options: ImportOptions,
  baseDirectory: string,
): Promise<Settled | undefined> {
  if (draft.models.length === 0 && draft.pools.length === 0) {
    return undefined;
  }
  const settled = await settle(name, draft, options, baseDirectory);
  if (settled.models.length === 0 && draft.pools.length === 0) {
    return undefined;
  }
  compareWithOriginal(settled);
  noteMadeNodes(settled);
  return settled;
}

function noteHostnames({ hostnames }: Draft, { host }: ImportOptions): void {
  hostnames.forEach(({ ledger, at }, index) => {
    if (host !== undefined || index > 0) {
      ledger.changed(at, `the gateway has one name, ${host ?? hostnames[0]?.name}`, "gateway.hostname");
    } else {
      ledger.mapped(at, "gateway.hostname");
    }
  });
}

/** Kubernetes kinds that accompany servers. */
const COMPANIONS: Readonly<Record<string, string>> = {
  Secret: "secrets are not copied: pulumi config set --secret, by the names in docs/configuration.md",
  ConfigMap: "read where a model refers to it",
  ServingRuntime: "read where an InferenceService refers to it",
  ClusterServingRuntime: "read where an InferenceService refers to it",
  LLMInferenceServiceConfig: "read where an LLMInferenceService refers to it",
  Kustomization: "a kustomization is rendered first: kubectl kustomize",
  Namespace: "each model has its own namespace",
};

function unknownDocument({ file, root, lineOf }: SourceDocument): Entry {
  const line = lineOf([]);
  const companion = rowOf(COMPANIONS, plainText(root.kind));
  const kind =
    companion ??
    (typeof root.kind === "string" ? `${root.kind} is no kind that can be imported` : "no format that can be imported");
  return { kind: "notMapped", file, ...(line !== undefined && { line }), path: "", why: kind };
}

function noneKnown(documents: readonly SourceDocument[], others: readonly Entry[]): string {
  const known = FORMATS.map(({ label }) => label).join(", ");
  const reasons = Object.values(COMPANIONS);
  const first = others.find(({ why }) => !reasons.includes(why ?? "")) ?? others[0];
  const where =
    first === undefined
      ? "the files are empty"
      : `${first.file}, line ${first.line ?? 1}: ${firstLine(first.why ?? "")}`;
  return `${where}; allowed: files of ${known}${documents.length > 1 ? ", at least one of them" : ""}`;
}

/** By file, then line. */
function inOrder(entries: readonly Entry[]): Entry[] {
  const files = [...new Set(entries.map(({ file }) => file))];
  return entries
    .map((entry, index) => ({ entry, index }))
    .sort(
      (a, b) =>
        files.indexOf(a.entry.file) - files.indexOf(b.entry.file) ||
        (a.entry.line ?? 0) - (b.entry.line ?? 0) ||
        a.index - b.index,
    )
    .map(({ entry }) => entry);
}
