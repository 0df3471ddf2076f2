import { ModelStore, type ModelStoreArgs } from "../../../components/storage/model-store";

/** A store with defaults that a test overrides where it looks. Call it inside `deploy`. */
export function modelStore(overrides: Partial<ModelStoreArgs> = {}): ModelStore {
  return new ModelStore("storage", {
    plan: { bucket: "models", sizeGiB: 100 },
    models: [],
    cluster: { storageClass: "encrypted", volumesGrow: true, privateCidrs: [], apiServerCidrs: [] },
    certManager: { namespace: "cert-manager", ready: [] },
    protect: true,
    registryGbps: 1,
    observabilityNamespace: "observability",
    ...overrides,
  });
}
