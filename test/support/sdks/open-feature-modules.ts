/** OpenFeature for pages: the files of its packages, by the names under which pages import them. */
import path from 'node:path';

const PACKAGES = path.join(import.meta.dirname, '../../../node_modules/@openfeature');

export const OPEN_FEATURE_MODULES = {
  '@openfeature/core': path.join(PACKAGES, 'core/dist/esm/index.js'),
  '@openfeature/web-sdk': path.join(PACKAGES, 'web-sdk/dist/esm/index.js'),
  '@openfeature/ofrep-core': path.join(
    PACKAGES,
    'ofrep-web-provider/node_modules/@openfeature/ofrep-core/index.esm.js',
  ),
  '@openfeature/ofrep-web-provider': path.join(PACKAGES, 'ofrep-web-provider/index.esm.js'),
};
