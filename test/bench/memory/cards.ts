/** Cards by the labels of start-up logs: "H100-80GB", "L40S 48GB", "2x RTX 5090". */
import { findGpus } from "../../../catalog/find-gpu";
import type { GpuModel } from "../../../catalog/shapes";

/**
 * The card that a label means. A number of cards in front is left out; so are the memory's size and the socket where the
 * catalogue has the card without them. Of several cards it is the smallest of the stated size, or that holds what was
 * measured, and of equals the one on an NVLink board, which most logs are from.
 * @param holdsGiB memory that the log shows in use of one card
 */
export function cardOf(label: string, holdsGiB: number): GpuModel | undefined {
  const name = label
    .replace(/^\s*\d+\s*[x×*]\s*/i, "")
    .replace(/[()]/g, " ")
    .trim();
  const size = Number(/(\d+)\s*(?:gb|gib|g)\b/i.exec(name)?.[1]);
  const bare = name.replace(/[\s_-]*\d+\s*(?:gb|gib|g)\b/gi, "");
  const spellings = [name, bare, bare.replace(/[\s_-]*(?:sxm\d?|pcie|nvlink|tensor core|gpu)\b/gi, "")];
  const found = spellings.map(findGpus).find((cards) => cards.length > 0) ?? [];
  const ofSize = found.filter(({ memoryGB }) => Math.abs(memoryGB - size) <= size * 0.1);
  const holding = (ofSize.length > 0 ? ofSize : found).filter(({ engineMemoryGiB }) => engineMemoryGiB >= holdsGiB);
  return holding.toSorted(
    (a, b) => a.memoryGB - b.memoryGB || Number(b.nvlinkBoard ?? false) - Number(a.nvlinkBoard ?? false),
  )[0];
}
