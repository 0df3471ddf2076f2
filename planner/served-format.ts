import { dtypeNamed, formatLabel } from "./model/format-names";
import type { ModelRequest } from "./request";

/** Weight format for reports; a flag may set plain weights' type (`args: {dtype: float32}`). */
export function servedFormat({
  architecture,
  quantization,
  args = {},
}: Pick<ModelRequest, "architecture" | "quantization" | "args">): string {
  const { dtype } = args;
  const isPlain = quantization === undefined && dtypeNamed(architecture.quantization.name) !== undefined;
  const asked = isPlain && typeof dtype === "string" && dtypeNamed(dtype) !== undefined ? dtype : undefined;
  return formatLabel(architecture, quantization ?? asked);
}
