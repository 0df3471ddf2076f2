import { isPlain } from "./plain";

/** Values of every key `image`: containers and image volumes of pods and templates, proxies of Envoy Gateway. */
export function imagesIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) {
    return [];
  }
  return Object.entries(value).flatMap(([key, item]) => {
    const reference = key === "image" && isPlain(item) ? item.reference : item;
    return key === "image" && typeof reference === "string" ? [reference] : imagesIn(item);
  });
}
