import { ModelStore, type ModelStoreArgs } from "../../../components/storage/model-store";
import { isStored } from "../../../components/storage/store-layout";
import { type Deployment, deploy } from "../../harness/deploy";
import { modelPlan, ollamaPlan } from "../../harness/plans";

/** A store with defaults that a test overrides where it looks. Call it inside `deploy`. */
export function modelStore(overrides: Partial<ModelStoreArgs> = {}): ModelStore {
  return new ModelStore("storage", {
    plan: { bucket: "models", sizeGiB: 100 },
    models: [],
    cluster: { storageClass: "encrypted", volumesGrow: true },
    certManager: { namespace: "cert-manager", ready: [] },
    protect: true,
    registryGbps: 1,
    ...overrides,
  });
}

/** One that a Job copies, and one that does not pass through the store. */
export const models = [modelPlan({ domain: "legal" }), ollamaPlan()];

export function deployed(overrides: Partial<ModelStoreArgs> = {}): Promise<Deployment> {
  return deploy(() => void grantedStore(overrides));
}

/** A store whose models are served, each in its namespace. */
export function grantedStore(overrides: Partial<ModelStoreArgs> = {}): void {
  const args = { models, ...overrides };
  const store = modelStore(args);
  for (const model of args.models.filter(isStored)) {
    store.grant(`weights-${model.name}`, model, `model-${model.name}`, {});
  }
}
