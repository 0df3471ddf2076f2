import { createHash } from "node:crypto";

/** A model as a registry holds it: a manifest that names blobs, and the blobs by digest. */
export interface ModelImage {
  readonly manifest: Buffer;
  readonly blobs: ReadonlyMap<string, Buffer>;
  /** Of the blob with the weights. */
  readonly weightsDigest: string;
}

const TEMPLATE = "{{ if .System }}{{ .System }} {{ end }}{{ .Prompt }} {{ .Response }}";

/** Packs a GGUF file as `ollama push` would. */
export function modelImage(weights: Buffer, license?: Buffer): ModelImage {
  const blobs = new Map<string, Buffer>();
  const layer = (mediaType: string, bytes: Buffer) => {
    const digest = `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
    blobs.set(digest, bytes);
    return { mediaType, digest, size: bytes.length };
  };
  const layers = [
    layer("application/vnd.ollama.image.model", weights),
    layer("application/vnd.ollama.image.template", Buffer.from(TEMPLATE)),
    // One thread: several wait for each other by spinning, which takes seconds where tests share few cores.
    layer("application/vnd.ollama.image.params", json({ num_ctx: 512, num_thread: 1 })),
    ...(license === undefined ? [] : [layer("application/vnd.ollama.image.license", license)]),
  ];
  const config = layer(
    "application/vnd.docker.container.image.v1+json",
    json({
      model_format: "gguf",
      model_family: "llama",
      model_families: ["llama"],
      model_type: "0.1M",
      file_type: "F32",
      architecture: "amd64",
      os: "linux",
      rootfs: { type: "layers", diff_ids: layers.map(({ digest }) => digest) },
    }),
  );
  const mediaType = "application/vnd.docker.distribution.manifest.v2+json";
  return {
    manifest: json({ schemaVersion: 2, mediaType, config, layers }),
    blobs,
    weightsDigest: layers[0]?.digest ?? "",
  };
}

function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}
