/** Tables of `npm run list`. */
import { HSA_OVERRIDE } from "../../catalog/gfx";
import { engineOf } from "../../engines";
import { decimal } from "../../names/decimal";
import { type Cell, table, usd } from "../../report/style";
import { type CardRow, type EngineRow, enginesWithBuilds, type ModelRow, type ShapeRow } from "./rows";

const right = (text: string): Cell => ({ text, align: "right" });

export function shapeTable(rows: readonly ShapeRow[]): string {
  return table([
    ["shape", "GPUs", right("GiB each"), right("vCPUs"), right("GiB"), right("Gbit/s"), right("USD/hour"), ""],
    ...rows.map((row) => [
      row.name,
      row.gpu === undefined ? "–" : `${row.gpus} × ${row.gpu}`,
      right(row.gpuMemoryGiB === undefined ? "" : decimal(row.gpuMemoryGiB, 1)),
      right(`${row.flexible ? "≤ " : ""}${decimal(row.vcpus, 1)}${row.cpuArch === "arm64" ? " Arm" : ""}`),
      right(`${row.flexible ? "≤ " : ""}${decimal(row.memoryGiB, 1)}`),
      right(row.networkGbps === undefined ? "" : decimal(row.networkGbps, 1)),
      right(priceText(row)),
      row.denied === undefined ? (row.rdma === "none" ? "" : row.rdma.toUpperCase()) : `refused: ${row.denied}`,
    ]),
  ]);
}

function priceText({ price }: ShapeRow): string {
  if (price === undefined) {
    return "unknown";
  }
  return "usdPerHour" in price ? usd(price.usdPerHour) : `${price.usdPerOcpuHour}/OCPU + ${price.usdPerGBHour}/GiB`;
}

export function imageTable(rows: readonly { readonly name: string; readonly usedBy: readonly string[] }[]): string {
  return table([["image", "used by"], ...rows.map(({ name, usedBy }) => [name, usedBy.join(", ")])]);
}

export function cardTable(rows: readonly CardRow[]): string {
  return table([
    ["card", "GPU", right("GiB"), "built for", "FP8", "ROCm", "engines", ""],
    ...rows.map((row) => [
      row.name,
      row.gpu,
      right(decimal(row.memoryGiB, 1)),
      row.compiledFor ?? "?",
      yesNo(row.fp8),
      row.rocm ?? "",
      row.engines.join(", ") || "none",
      [row.hsaOverride && `${HSA_OVERRIDE}=${row.hsaOverride}`, row.notes].filter(Boolean).join("; "),
    ]),
  ]);
}

function yesNo(known: boolean | undefined): string {
  return known === undefined ? "?" : known ? "yes" : "no";
}

export function modelTable(rows: readonly ModelRow[]): string {
  return table([
    [
      "model",
      "task",
      right("params"),
      right("weights"),
      "format",
      right("context"),
      "needs token",
      "Hugging Face",
      ...enginesWithBuilds.map((engine) => engineOf(engine).label),
    ],
    ...rows.map((row) => [
      row.name,
      row.task,
      right(`${decimal(row.parametersB, 1)} B`),
      right(`${decimal(row.weightsGB, 1)} GB`),
      row.format,
      right(row.maxContextTokens.toLocaleString("en-US")),
      row.gated ? "yes" : "no",
      row.repository,
      ...enginesWithBuilds.map((engine) => row.builds[engine]?.join(", ") ?? ""),
    ]),
  ]);
}

export function engineTable(rows: readonly EngineRow[]): string {
  return rows
    .map(
      ({ name, version, images, quantizations, legacy }) =>
        `${name} ${version}\n${table([
          ...Object.entries(images).map(([processor, reference]) => [`  on ${processor}`, reference]),
          ["  quantization", quantizations.length > 0 ? quantizations.join(", ") : "the checkpoint's own"],
          ...(legacy === undefined ? [] : [["  legacy", `refused in production: ${legacy}`]]),
        ])}`,
    )
    .join("\n");
}
