import { cards as catalogueCards, gpuModels } from "../../catalog/shapes";
import { cardRows, enginesWithBuilds, modelRows, shapeRows } from "../../cli/list/rows";
import { engineOf } from "../../engines";
import { decimal } from "../../names/decimal";
import { usd } from "../../report/style";
import { markdownTable } from "../../stacks/config/markdown-table";
import { code, page } from "./page";

/** The models of the catalogue. */
export function modelsPage(): string {
  const rows = modelRows().map((row) => [
    code(row.name),
    row.task,
    decimal(row.parametersB, 1),
    decimal(row.weightsGB, 1),
    row.format,
    row.maxContextTokens.toLocaleString("en-US"),
    row.gated ? "yes" : "no",
    row.license,
    code(row.repository),
    ...enginesWithBuilds.map((engine) => (row.builds[engine] ?? []).map(code).join(", ")),
  ]);
  return page(
    "Models of the catalogue",
    "catalog/models.json",
    "Models that an environment names without further facts, as `models.<name>.model`. Any other is `hf://org/name`: [naming a model](../configuration.md#naming-a-model).",
    markdownTable(
      [
        "Name",
        "Task",
        "B parameters",
        "GB of weights",
        "Format",
        "Context",
        "Needs a token",
        "Licence",
        "Hugging Face",
        ...enginesWithBuilds.map((engine) => `Tags of ${engineOf(engine).label}`),
      ],
      rows,
    ),
  );
}

/** Machines of clouds, and cards for other machines. */
export function machinesPage(): string {
  const shapes = shapeRows().map((row) => [
    code(row.name),
    row.provider,
    row.gpus === 0 ? "–" : `${row.gpus} × ${row.gpu}`,
    row.gpuMemoryGiB === undefined ? "" : decimal(row.gpuMemoryGiB, 1),
    `${row.flexible ? "≤ " : ""}${decimal(row.vcpus, 1)}${row.cpuArch === "arm64" ? " Arm" : ""}`,
    `${row.flexible ? "≤ " : ""}${decimal(row.memoryGiB, 1)}`,
    priceText(row),
    row.denied === undefined ? (row.rdma === "none" ? "" : row.rdma) : `refused: ${row.denied}`,
  ]);
  const cards = cardRows().map((row) => [
    code(row.name),
    row.gpu,
    decimal(row.memoryGiB, 1),
    row.fp8 === undefined ? "?" : row.fp8 ? "yes" : "no",
    row.engines.join(", ") || "none",
    row.notes,
  ]);
  return page(
    "Machine shapes and cards",
    "catalog/shapes",
    "Machines that pools can name, with GPU memory and list prices; and cards for machines of your own. Sources and dates of the prices: `npm run list -- shapes --json`.",
    "## Shapes\n\n`pools.<name>.shape`. USD an hour are list prices without discounts.",
    markdownTable(["Shape", "Cloud", "GPUs", "GiB each", "vCPUs", "GiB", "USD/hour", "Remarks"], shapes),
    "## Cards\n\n`pools.<name>.node.card`, with `gpuCount`, `vcpus` and `memoryGiB`.",
    markdownTable(["Card", "GPU", "GiB", "FP8", "Engines", "Remarks"], cards),
    "## Cards of AMD\n\n`unlisted`: AMD does not list the card for ROCm 7, which the plan states; `no`: AMD calls it or its chip unsupported. Pods on a card with an override get it as `HSA_OVERRIDE_GFX_VERSION`, and run the code of a sibling; `cluster.gpuDevices.environment` takes precedence.",
    markdownTable(["Card", "Target", "ROCm", "Override"], amdRows()),
  );
}

function amdRows(): string[][] {
  return catalogueCards.flatMap(({ name, gpu }) => {
    const { vendor, abilities, support } = gpuModels.find(({ model }) => model === gpu) ?? {};
    return vendor === "amd"
      ? [[code(name), abilities?.gfx ?? "", support?.rocm ?? "", support?.hsaOverride ?? ""]]
      : [];
  });
}

function priceText({ price }: ReturnType<typeof shapeRows>[number]): string {
  if (price === undefined) {
    return "unknown";
  }
  return "usdPerHour" in price ? usd(price.usdPerHour) : `${price.usdPerOcpuHour}/OCPU + ${price.usdPerGBHour}/GiB`;
}
