import type { ModelDraft } from "./draft";
import { gpuVendor } from "./nodes-of-pods";
import { isMapping, type Path } from "./path";
import { plainText } from "./plain-text";

interface Given {
  readonly at: Path;
  readonly vendor: "nvidia" | "amd";
  /** Undefined: all of the host's. */
  readonly count?: number;
}

/** GPU-only images get one GPU if no field gives any. */
export function readComposeGpus(model: ModelDraft, image: string): void {
  const { ledger, at, machine, engine } = model;
  const usual = /rocm/.test(image) ? "amd" : "nvidia";
  const given = [...reserved(model, usual), ...listed(model, usual), ...byRuntime(model), ...passedThrough(model)];
  const [first] = given;
  if (first === undefined) {
    const needsOne = engine !== "ollama" && !/cpu/.test(image);
    machine.vendor = needsOne ? usual : "cpu";
    if (needsOne) {
      model.original = { gpus: 1 };
      ledger.changed(
        at,
        "no field of the service gives it a GPU, and its image computes on GPUs: it has one here",
        "pools.*.node.card",
      );
    }
    return;
  }
  machine.vendor = usual === "amd" ? usual : first.vendor;
  const counts = given.flatMap(({ count }) => count ?? []);
  if (counts.length > 0) {
    model.original = { gpus: counts.reduce((sum, count) => sum + count, 0) };
  }
  for (const { at: place, count } of given) {
    if (count === undefined) {
      ledger.changed(place, "all GPUs of its host: the plan takes those that the model needs", "pools.*.node.card");
    } else {
      ledger.mapped(place, "pools.*.node.gpuCount");
    }
  }
}

function reserved(model: ModelDraft, usual: Given["vendor"]): Given[] {
  const at: Path = [...model.at, "deploy", "resources", "reservations", "devices"];
  return devicesAt(model, at, usual).filter(({ at: place }) => {
    const capabilities = model.ledger.list(...place, "capabilities").map(String);
    return capabilities.length === 0 || capabilities.some((each) => ["gpu", "nvidia", "compute"].includes(each));
  });
}

function listed(model: ModelDraft, usual: Given["vendor"]): Given[] {
  const at: Path = [...model.at, "gpus"];
  return model.ledger.get(...at) === "all" ? [{ at, vendor: usual }] : devicesAt(model, at, usual);
}

function devicesAt({ ledger }: ModelDraft, at: Path, usual: Given["vendor"]): Given[] {
  return ledger.list(...at).flatMap((device, index): Given[] => {
    if (!isMapping(device)) {
      return [];
    }
    const place = [...at, index];
    const ids = ledger.list(...place, "device_ids").length;
    const count = ids > 0 ? ids : ledger.number(...place, "count");
    const vendor = /amd|rocm/.test(plainText(device.driver)) ? "amd" : usual;
    return [{ at: place, vendor, ...(count !== undefined && count > 0 && { count }) }];
  });
}

function byRuntime({ ledger, at: base }: ModelDraft): Given[] {
  const at = [...base, "runtime"];
  const runtime = ledger.text(...at);
  return runtime === "nvidia" || runtime === "amd" ? [{ at, vendor: runtime }] : [];
}

/** AMD's device files, or names as `nvidia.com/gpu=all`. */
function passedThrough({ ledger, at: base }: ModelDraft): Given[] {
  return ledger.list(...base, "devices").flatMap((device, index): Given[] => {
    const at = [...base, "devices", index];
    const text = plainText(device);
    const vendor = text.includes("/dev/kfd") ? "amd" : gpuVendor(text);
    return vendor === undefined ? [] : [{ at, vendor, ...(/=\d+$/.test(text) && { count: 1 }) }];
  });
}
