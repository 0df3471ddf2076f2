import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DOCUMENT_PLACES, type DocumentKind } from "../../../policies/lib/aws-documents";
import type { RecordedResource } from "../../harness/deploy";

/** An IAM document that a program makes. */
export interface IamDocument {
  readonly kind: DocumentKind;
  /** Logical name of the resource that holds it. */
  readonly name: string;
  readonly text: string;
}

/** Every document of these resources. */
export function documentsOf(resources: readonly RecordedResource[]): IamDocument[] {
  return resources.flatMap(({ type, name, inputs }) =>
    (DOCUMENT_PLACES[type] ?? []).flatMap(({ kind, path }) => {
      const text = inputs[path];
      return typeof text === "string" ? [{ kind, name, text }] : [];
    }),
  );
}

/** As findings name it. */
export function titleOf({ kind, name }: IamDocument): string {
  return `${kind} ${name}`;
}

/** Writes each document into a file of the folder, and returns the files' names with what is in them. */
export function writeDocuments(documents: readonly IamDocument[], folder: string): ReadonlyMap<string, IamDocument> {
  mkdirSync(folder, { recursive: true });
  return new Map(
    documents.map((document) => {
      const file = `${document.kind}.${document.name}.json`;
      writeFileSync(join(folder, file), document.text);
      return [file, document];
    }),
  );
}
