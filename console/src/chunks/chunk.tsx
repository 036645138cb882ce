import { Component, Suspense, type ReactNode } from 'react';
import { Failure } from '../look/notes.tsx';
import { ChunkError } from './lazy-chunk.ts';
import { MissingChunk } from './missing-chunk.tsx';

type ChunkProps = {
  children: ReactNode;
  /** Shown while the code is on its way. */
  fallback?: ReactNode;
  /** Ends a dialog; absent for a part of the page. */
  onClose?: () => void;
};

type ChunkState = { error: unknown };

/** Boundary around a lazy dialog or part of a page. An error inside leaves the rest of the page, and what was typed there, intact. */
export class Chunk extends Component<ChunkProps, ChunkState> {
  override state: ChunkState = { error: undefined };

  static getDerivedStateFromError(error: unknown): ChunkState {
    return { error };
  }

  override render() {
    const { children, fallback = null, onClose } = this.props;
    const { error } = this.state;
    if (error === undefined) return <Suspense fallback={fallback}>{children}</Suspense>;
    const retry = () => this.setState({ error: undefined });
    if (!(error instanceof ChunkError)) return <Failure error={error} onRetry={retry} />;
    return <MissingChunk error={error} onLoaded={retry} onClose={onClose} />;
  }
}
