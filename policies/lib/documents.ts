import { parseAllDocuments } from "yaml";
import { askedOnce } from "./asked-once";
import { snapshot, type Value } from "./field";

/** Documents of YAML or JSON in a text; none where it is neither, such as a template. */
export const documentsIn = askedOnce((text): readonly Value[] => {
  try {
    const documents = parseAllDocuments(text);
    return Array.isArray(documents)
      ? documents.filter(({ errors }) => errors.length === 0).map((document) => snapshot(document.toJS()))
      : [];
  } catch {
    // More references than the parser follows.
    return [];
  }
});

/** Whether a text is one object of JSON. */
export const isJsonObject = askedOnce((text) => {
  if (!/^\s*\{/.test(text)) {
    return false;
  }
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
});
