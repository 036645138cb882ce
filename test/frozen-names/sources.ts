/** The sources that names are read from, made once, when the first reader asks. */
import { startInstallation, type Installation } from './installation.ts';
import type { Sources } from './kind.ts';
import { readProduct, type Product } from './product.ts';

export function openSources(): Sources & { close(): Promise<void> } {
  let product: Product | undefined;
  let installation: Promise<Installation> | undefined;
  return {
    product: () => (product ??= readProduct()),
    installation: () => (installation ??= startInstallation()),
    close: async () => (await installation)?.close(),
  };
}
