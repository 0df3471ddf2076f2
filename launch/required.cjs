// @ts-check
const pulumi = require("@pulumi/pulumi");
const { BundleError, currentBundle } = require("./bundles.cjs");

/**
 * What a bundle exports, made from the sources as they are now.
 *
 * @param {Parameters<typeof currentBundle>[0]} name
 * @throws {pulumi.RunError} where there can be none: Pulumi shows its message alone.
 */
function requiredBundle(name) {
  try {
    return require(currentBundle(name));
  } catch (error) {
    throw error instanceof BundleError ? new pulumi.RunError(error.message) : error;
  }
}

module.exports = { requiredBundle };
