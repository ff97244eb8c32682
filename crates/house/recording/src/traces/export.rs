//! The thread that sends spans to a collector (OTLP over HTTP, in JSON): batches from a bounded queue.

use std::time::Duration;

use interceptor::otlp::{Span, export};
use tokio::sync::{mpsc, oneshot};

use super::CollectorSettings;
use metrics::TraceMetrics;
use remote::json_server::JsonServer;

#[derive(Debug)]
enum Message {
    Spans(Vec<Span>),
    /// Answered when all earlier spans are sent or lost.
    Flush(oneshot::Sender<()>),
}

/// The most spans of one batch, unless a single request has more.
pub(crate) const BATCH_MAX_SPANS: usize = 512;

/// How long spans wait for others.
pub(crate) const BATCH_WAIT: Duration = Duration::from_secs(1);

/// The near end of the queue.
#[derive(Debug)]
pub(super) struct Exporter {
    queue: mpsc::Sender<Message>,
    metrics: TraceMetrics,
}

impl Exporter {
    pub(super) fn start(settings: CollectorSettings, metrics: TraceMetrics) -> std::io::Result<Self> {
        let (queue, messages) = mpsc::channel(settings.queue_max_requests);
        let sender = Sender {
            messages,
            server: settings.server,
            service_name: settings.service_name,
            metrics: metrics.clone(),
            is_failing: false,
        };
        std::thread::Builder::new().name("traces".to_owned()).spawn(move || sender.run())?;
        Ok(Self { queue, metrics })
    }

    pub(super) fn send(&self, spans: Vec<Span>) {
        let count = spans.len();
        if self.queue.try_send(Message::Spans(spans)).is_err() {
            self.metrics.lost(count);
        }
    }

    pub(super) async fn flush(&self) {
        let (done, flushed) = oneshot::channel();
        if self.queue.send(Message::Flush(done)).await.is_ok() {
            let _ = flushed.await;
        }
    }
}

/// The far end of the queue, on the sending thread.
struct Sender {
    messages: mpsc::Receiver<Message>,
    server: JsonServer,
    service_name: String,
    metrics: TraceMetrics,
    is_failing: bool,
}

impl Sender {
    fn run(mut self) {
        match tokio::runtime::Builder::new_current_thread().enable_all().build() {
            Ok(runtime) => runtime.block_on(self.serve()),
            Err(error) => tracing::error!("no runtime for traces: {error}"),
        }
    }

    /// Sends batches until all senders are gone.
    async fn serve(&mut self) {
        while let Some(first) = self.messages.recv().await {
            let (spans, flushes) = self.batch(first).await;
            if !spans.is_empty() {
                self.send(&spans).await;
            }
            for done in flushes {
                // The sender may have stopped waiting.
                let _ = done.send(());
            }
        }
    }

    /// Gathers spans until the batch is full, the time is over, or somebody waits for the end.
    async fn batch(&mut self, first: Message) -> (Vec<Span>, Vec<oneshot::Sender<()>>) {
        let (mut spans, mut flushes) = (Vec::new(), Vec::new());
        let deadline = tokio::time::Instant::now() + BATCH_WAIT;
        let mut next = Some(first);
        while let Some(message) = next {
            match message {
                Message::Spans(more) => spans.extend(more),
                Message::Flush(done) => flushes.push(done),
            }
            if spans.len() >= BATCH_MAX_SPANS || !flushes.is_empty() {
                break;
            }
            next = tokio::time::timeout_at(deadline, self.messages.recv()).await.ok().flatten();
        }
        (spans, flushes)
    }

    /// Sends spans. Refused spans are lost and counted, not repeated: further spans follow, and an
    /// absent collector stays away for a while.
    async fn send(&mut self, spans: &[Span]) {
        let body = export(&self.service_name, env!("CARGO_PKG_VERSION"), spans);
        match self.server.post(body).await {
            Ok(_) => {
                self.metrics.sent(spans.len());
                if std::mem::take(&mut self.is_failing) {
                    tracing::info!("the collector takes spans again");
                }
            }
            Err(error) => {
                self.metrics.lost(spans.len());
                if !std::mem::replace(&mut self.is_failing, true) {
                    tracing::warn!("spans are lost: the collector does not accept them: {error}");
                }
            }
        }
    }
}
