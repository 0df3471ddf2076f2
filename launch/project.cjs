// @ts-check
// What Pulumi starts in a project that depends on this package (its package.json).
const { loadPlatform } = require("./platform.cjs");

module.exports = () => loadPlatform().program();
