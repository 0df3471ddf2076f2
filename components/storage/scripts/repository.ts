/** Where a sync Job takes a repository from. */
import { ArtifactRepository } from "./artifact-repository.ts";
import { BucketRepository } from "./bucket-repository.ts";
import { huggingFaceToken, sourceKeys } from "./credentials.ts";
import { FolderRepository } from "./folder.ts";
import { HuggingFaceRepository, type Repository } from "./hugging-face.ts";
import { OciRegistry } from "./oci-registry.ts";
import { throughProxy } from "./proxy-tunnel.ts";
import { environmentVariable } from "./retry.ts";
import { S3Bucket } from "./s3.ts";
import { registryLogin, sourceAuthorities, sourceProxy } from "./source-access.ts";
import { sendByFetch, sendTo } from "./trusted-request.ts";

/** A folder of a bundle, with the SHA-256 of its manifest. */
export interface BundledFolder {
  readonly folder?: string | undefined;
  readonly manifestSha256?: string | undefined;
}

/** The repository in its folder where there is one, else at the Hub. */
export function repositoryOf(repository: string, { folder, manifestSha256 }: BundledFolder): Repository {
  return folder
    ? new FolderRepository(repository, folder, manifestSha256 ?? "")
    : new HuggingFaceRepository(repository, huggingFaceToken(), process.env.HF_ENDPOINT);
}

/** A prefix of a bucket of the user's, at SOURCE_ENDPOINT. */
export function bucketOf(bucket: string): Repository {
  const keys = sourceKeys();
  const signing = keys && { ...keys, region: environmentVariable("SOURCE_REGION") };
  const endpoint = environmentVariable("SOURCE_ENDPOINT");
  const authorities = sourceAuthorities();
  const proxy = sourceProxy();
  const isPlain = authorities === undefined && proxy === undefined;
  const send = isPlain ? sendByFetch : sendTo(new URL(endpoint).host, authorities, proxy && throughProxy(proxy));
  return new BucketRepository(new S3Bucket(endpoint, bucket, signing, send), process.env.SOURCE_PREFIX ?? "");
}

/** An artifact of a registry, which answers at SOURCE_ENDPOINT. */
export function artifactOf(host: string): Repository {
  return new ArtifactRepository(
    new OciRegistry({
      host,
      endpoint: environmentVariable("SOURCE_ENDPOINT"),
      repository: environmentVariable("SOURCE_REPOSITORY"),
      login: registryLogin(host),
      authorities: sourceAuthorities(),
      proxy: sourceProxy(),
    }),
  );
}
