/** Weights that are not on the Hugging Face Hub: on a volume claim or in a bucket. */
import type { Draft, ModelDraft } from "./draft";
import type { Path } from "./path";
import { weightsNamed } from "./weights-name";

/** Engines that read weights of a volume, or of the model store. */
const READERS = ["vllm", "tgi"];

/** Buckets of `storage.buckets` by the scheme of their addresses. */
const STORES: Readonly<Record<string, { readonly url: string; readonly region: string }>> = {
  s3: { url: "https://s3.us-east-1.amazonaws.com", region: "us-east-1" },
  gs: { url: "https://storage.googleapis.com", region: "auto" },
};

const BUCKET = /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/;

/**
 * Reads the address of weights: `hf://org/name`, `pvc://claim/path`, `s3://bucket/prefix`, `gs://bucket/prefix`.
 * What the weights are, the address says, or one of the names.
 */
export function applyAddress(
  model: ModelDraft,
  draft: Draft,
  address: string,
  at: Path,
  names: readonly (string | undefined)[] = [],
): void {
  const { ledger } = model;
  const [, scheme = "", rest = ""] = /^([a-z0-9+]+):\/\/([^?]*)/.exec(address) ?? [];
  if (scheme === "hf") {
    const [, repository = rest, revision] = /^([^:@]+)[:@]?(.*)$/.exec(rest) ?? [];
    model.weights = `hf://${repository}`;
    model.revision = revision === "" ? undefined : revision;
    ledger.mapped(at, "models.*.model");
    return;
  }
  const named = [`/${rest}`, ...names].filter((name) => name !== undefined);
  model.weights =
    named.find((name) => weightsNamed(name)?.entry !== undefined) ??
    named.find((name) => weightsNamed(name) !== undefined) ??
    model.weights;
  const [place = "", ...folders] = rest.split("/").filter((part) => part !== "");
  const store = STORES[scheme];
  const isRead = model.weights !== undefined && READERS.includes(model.engine);
  if (scheme === "pvc" && isRead && place !== "") {
    sourceOf(model, `pvc://${[place, ...folders].join("/")}`, at);
    ledger.changed(at, claimMoved(place), "models.*.source");
  } else if (store !== undefined && isRead && BUCKET.test(place) && folders.length > 0) {
    draft.buckets[place] = store;
    sourceOf(model, `s3://${[place, ...folders].join("/")}`, at);
    ledger.changed(
      at,
      `storage.buckets.${place} is read without a key from ${store.url}: write its own endpoint, region and secretKey (docs/own-weights.md)`,
      "models.*.source",
    );
  } else if (model.weights === undefined) {
    ledger.lost(
      at,
      "its name does not say which weights these are: write model or config under the model, and this as its source",
    );
  } else {
    ledger.changed(
      at,
      "the weights come from Hugging Face, by the name of the folder or of the model",
      "models.*.source",
    );
  }
}

/** Whether a volume claim at a folder of the pod holds the model's weights; then they are its source. */
export function readFromClaim(model: ModelDraft, claim: string, mountPath: string, at: Path): boolean {
  const { weights = "", engine } = model;
  const isBelow = weights === mountPath || weights.startsWith(`${mountPath}/`);
  if (!isBelow || mountPath === "" || weightsNamed(weights) === undefined || !READERS.includes(engine)) {
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
