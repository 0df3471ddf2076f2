/** Weights on a volume claim or in a bucket. */

import { isOpen } from "./command-line";
import type { Draft, ModelDraft } from "./draft";
import { type Path, pathText, rowOf } from "./path";
import { weightsNamed } from "./weights-name";

const OUTSIDE = "its value is set outside of the file: write the repository into the file";

const NAMED = "models.*.model";

/** A name by an earlier field is replaced. */
export function nameWeights(model: ModelDraft, name: string, at: Path): void {
  if (isOpen(name)) {
    model.ledger.lost(at, OUTSIDE);
    return;
  }
  if (model.weights !== name) {
    giveWay(model, at);
  }
  model.weights = name;
  model.namedAt = at;
  model.ledger.mapped(at, NAMED);
}

/** Another path names the weights. */
export function giveWay(model: ModelDraft, at: Path): void {
  if (model.namedAt !== undefined && model.weights !== undefined) {
    model.ledger.correct(NAMED, model.namedAt, `${pathText(at)} says which weights these are`);
    model.namedAt = undefined;
  }
}

const READERS = ["vllm", "tgi"];

/** `storage.buckets` by scheme. */
const STORES: Readonly<Record<string, { readonly url: string; readonly region: string }>> = {
  s3: { url: "https://s3.us-east-1.amazonaws.com", region: "us-east-1" },
  gs: { url: "https://storage.googleapis.com", region: "auto" },
};

const BUCKET = /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/;

/**
 * Reads `hf://org/name`, `pvc://claim/path`, `s3://bucket/prefix`, `gs://bucket/prefix`; the
 * address or a name identifies the weights.
 */
export function applyAddress(
  model: ModelDraft,
  draft: Draft,
  address: string,
  at: Path,
  names: readonly (string | undefined)[] = [],
): void {
  const { ledger } = model;
  if (isOpen(address)) {
    ledger.lost(at, OUTSIDE);
    return;
  }
  const [, scheme = "", rest = ""] = /^([a-z0-9+]+):\/\/([^?]*)/.exec(address) ?? [];
  const repository = scheme === "hf" ? rest : /^https:\/\/huggingface\.co\/([^/?]+\/[^/?]+)/.exec(address)?.[1];
  if (repository !== undefined) {
    const [, name = repository, revision] = /^([^:@]+)[:@]?(.*)$/.exec(repository) ?? [];
    nameWeights(model, `hf://${name}`, at);
    model.revision = revision === "" ? undefined : revision;
    return;
  }
  // Images of weights have a tag.
  const named = [`/${rest.replace(/[:@][^/]*$/, "")}`, ...names].find(
    (name) => name !== undefined && weightsNamed(name)?.entry !== undefined,
  );
  const [place = "", ...folders] = rest.split("/").filter((part) => part !== "");
  const store = rowOf(STORES, scheme);
  const isRead = READERS.includes(model.engine) && place !== "";
  const isBucket = store !== undefined && BUCKET.test(place) && folders.length > 0;
  if (named !== undefined || isRead) {
    giveWay(model, at);
  }
  if (isRead && (scheme === "pvc" || isBucket)) {
    model.weights = named;
    sourceOf(model, `${isBucket ? "s3" : scheme}://${[place, ...folders].join("/")}`, at);
    if (store !== undefined) {
      draft.buckets[place] = store;
    }
    ledger.changed(
      at,
      store === undefined
        ? claimMoved(place)
        : `storage.buckets.${place} is read without a key from ${store.url}: write its own endpoint, region and secretKey (docs/own-weights.md)`,
      "models.*.source",
    );
  } else if (named === undefined) {
    ledger.lost(
      at,
      "its name does not say which weights these are: write model or config under the model, and this as its source",
    );
  } else {
    model.weights = named;
    ledger.changed(
      at,
      "the weights come from Hugging Face, by the name of the folder or of the model",
      "models.*.source",
    );
  }
}

/** Whether a mounted claim holds the weights; then it is their source. */
export function readFromClaim(model: ModelDraft, claim: string, mountPath: string, at: Path): boolean {
  const { weights = "", engine } = model;
  const isBelow = weights === mountPath || weights.startsWith(`${mountPath}/`);
  if (!isBelow || mountPath === "" || !READERS.includes(engine)) {
    return false;
  }
  sourceOf(model, `pvc://${claim}${weights.slice(mountPath.length)}`, at);
  model.ledger.changed(at, claimMoved(claim), "models.*.source");
  return true;
}

function sourceOf(model: ModelDraft, source: string, at: Path): void {
  model.settings.source = source;
  model.places.set("source", at);
}

function claimMoved(claim: string): string {
  return `the claim ${claim} must be in the namespace model-<name>, where you make it (docs/own-weights.md)`;
}
