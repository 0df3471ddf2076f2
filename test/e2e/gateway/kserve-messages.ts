/**
 * Messages of KServe's v2 API over gRPC, as far as a test sends and reads them: numbers of fields as in
 * `docs/predict-api/v2/grpc_predict_v2.proto` of KServe 0.15.
 */
import { BinaryReader, BinaryWriter } from "google-protobuf";

export interface InferRequest {
  readonly model: string;
  readonly input: string;
  readonly text: string;
}

/** `ModelInferRequest` with one tensor of one text. */
export function inferRequest({ model, input, text }: InferRequest): Buffer {
  const writer = new BinaryWriter();
  writer.writeString(1, model);
  writer.writeMessage(5, {}, () => {
    writer.writeString(1, input);
    writer.writeString(2, "BYTES");
    writer.writePackedInt64(3, [1]);
    writer.writeMessage(5, {}, () => writer.writeRepeatedBytes(8, [Buffer.from(text)]));
  });
  return Buffer.from(writer.getResultBuffer());
}

/** What a message has under a number, messages and bytes alike. */
function fieldsOf(bytes: Uint8Array, wanted: number): Uint8Array[] {
  const reader = new BinaryReader(bytes);
  const found: Uint8Array[] = [];
  while (reader.nextField()) {
    if (reader.getFieldNumber() === wanted) {
      found.push(reader.readBytes() as Uint8Array);
    } else {
      reader.skipField();
    }
  }
  return found;
}

/** Numbers of the first tensor of a `ModelInferResponse`, which Triton sends as raw 32-bit floats. */
export function numbersOf(response: Uint8Array): number[] {
  const [raw = new Uint8Array()] = fieldsOf(response, 6);
  const view = Buffer.from(raw);
  return Array.from({ length: view.length / 4 }, (_, index) => view.readFloatLE(4 * index));
}

/** The answer in a `ModelStreamInferResponse`. @throws Error with the error in it. */
export function streamed(response: Uint8Array): Uint8Array {
  const [error] = fieldsOf(response, 1);
  if (error !== undefined) {
    throw new Error(Buffer.from(error).toString("utf8"));
  }
  return fieldsOf(response, 2)[0] ?? new Uint8Array();
}
