import { useEffect } from 'react';

/** Applies the account's light or dark theme, or the system's without a choice. */
export function useTheme(mode: string | null): void {
  useEffect(() => {
    const { dataset } = document.documentElement;
    if (mode === 'light' || mode === 'dark') dataset['theme'] = mode;
    else delete dataset['theme'];
  }, [mode]);
}
