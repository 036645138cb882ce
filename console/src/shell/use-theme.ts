import { useEffect } from 'react';

/** Light or dark as somebody chose for their account; the system's where they chose nothing. */
export function useTheme(mode: string | null): void {
  useEffect(() => {
    const { dataset } = document.documentElement;
    if (mode === 'light' || mode === 'dark') dataset['theme'] = mode;
    else delete dataset['theme'];
  }, [mode]);
}
