/** `storage.buckets.<name>.url`: the endpoint alone, of the region that requests are signed for. */
import { outsideServer } from "../../../names/outside-server";
import type { Rule } from "../core/rule";
import { bucketBackend } from "../core/store-backend";

/** Servers that answer at `<bucket>.<server>` too (Amazon S3, Google Cloud Storage and DigitalOcean Spaces). */
const BY_HOST = /^(?:s3[.-]|storage\.googleapis\.com$|[a-z0-9-]+\.digitaloceanspaces\.com$)/;

/** Requests name the bucket in the path: an endpoint that names it too would have it twice. */
export const endpointsNameNoBucket: Rule = function* ({ sections: { storage } }) {
  for (const [bucket, { url }] of Object.entries(storage?.buckets ?? {})) {
    const endpoint = withoutBucket(url, bucket);
    if (endpoint !== undefined) {
      yield {
        path: ["storage", "buckets", bucket, "url"],
        value: url,
        allowed: `the endpoint without the bucket: requests add /${bucket} to its path`,
        fix: `write ${endpoint}`,
      };
    }
  }
};

function withoutBucket(text: string, bucket: string): string | undefined {
  const server = outsideServer(text);
  if (server === undefined) {
    return undefined;
  }
  const { origin, protocol, host } = new URL(text);
  if (server.path.endsWith(`/${bucket}`)) {
    return `${origin}${server.path.slice(0, -bucket.length - 1)}`;
  }
  const rest = host.slice(bucket.length + 1);
  return host.startsWith(`${bucket}.`) && BY_HOST.test(rest) ? `${protocol}//${rest}${server.path}` : undefined;
}

/** Regional endpoints (AWS General Reference, "AWS service endpoints"; S3 User Guide, "dual-stack endpoints"). */
const AMAZON = /(?:^|\.)s3(?:-fips)?[.-](?:dualstack\.)?([a-z]{2}(?:-[a-z]+)+-\d)\.(?:vpce\.)?amazonaws\.com(?:\.cn)?$/;

/** Amazon refuses a signature for another region than the endpoint's (AuthorizationHeaderMalformed). */
export const regionsAreOfTheEndpoint: Rule = function* ({ sections: { storage }, declared }) {
  for (const [bucket, { url, region, secretKey }] of Object.entries(storage?.buckets ?? {})) {
    const named = AMAZON.exec(outsideServer(url)?.host ?? "")?.[1];
    const isSigned = secretKey !== undefined || (storage && bucketBackend(storage)?.bucket) === bucket;
    const path = ["storage", "buckets", bucket, "region"];
    if (isSigned && named !== undefined && named !== region) {
      yield {
        path,
        value: declared.isWritten(path) ? region : undefined,
        allowed: `${named}, the region of ${url}`,
        fix: `write region: ${named}`,
      };
    }
  }
};
