/** Values of every key `image`: containers of pods and templates, proxies of Envoy Gateway. */
export function imagesIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) {
    return [];
  }
  return Object.entries(value).flatMap(([key, item]) =>
    key === "image" && typeof item === "string" ? [item] : imagesIn(item),
  );
}
