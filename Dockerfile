# Doso in a container: built in one stage, run as an ordinary user in another.
FROM python:3.12-slim AS build
WORKDIR /src
RUN python -m venv /opt/doso
COPY requirements.lock pyproject.toml README.md ./
# Development tools are in the lock too; the product is installed with its own dependencies at the locked versions.
RUN sed '/--hash/d; s/ *\\$//' requirements.lock > constraints.txt
COPY doso doso
COPY graph graph
COPY ingest ingest
COPY ask ask
COPY api api
RUN /opt/doso/bin/pip install --no-cache-dir --constraint constraints.txt .

FROM python:3.12-slim
RUN useradd --create-home --uid 10001 doso && mkdir /data && chown doso /data
COPY --from=build /opt/doso /opt/doso
ENV PATH=/opt/doso/bin:$PATH DOSO_HOME=/data DOSO_HOST=0.0.0.0 DOSO_PORT=8765 PYTHONUNBUFFERED=1
USER doso
VOLUME /data
EXPOSE 8765
HEALTHCHECK --interval=15s --timeout=3s --start-period=20s \
  CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8765/health/live', timeout=2)"]
# A key must exist before Doso listens beyond loopback: docker run … doso keys create --name me
CMD ["doso", "serve"]
